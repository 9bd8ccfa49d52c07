import { createHash } from 'node:crypto'
import type { Attachment, AttachmentType } from '@proctorpass/shared/schemas/attachment'
import sharp from 'sharp'
import { newNonce } from '../../../web/src/chat/engine/outbox.ts'
import { attachmentContentOf } from '../../src/chat/attachment-content.ts'

/** A file of a message as it was chosen. Its name is unique in the whole test. */
export interface TypedFile {
  nonce: string
  name: string
  type: AttachmentType
  sent: Blob
  /** What the server must keep: pictures are re-encoded. */
  stored: Buffer
  width?: number
  height?: number
}

export const FILE_KINDS = ['picture', 'document'] as const
export type FileKind = (typeof FILE_KINDS)[number]

let made: Promise<unknown> = Promise.resolve()

/** A small picture or document, with content of its own. */
export async function makeFile(name: string, kind: FileKind): Promise<TypedFile> {
  const bytes = kind === 'picture' ? await picture(name) : pdf(name)
  // One after another: the product refuses too many at once.
  const content = made.then(() => attachmentContentOf(bytes, { side: 'visitor', admit: async () => {} }))
  made = content.catch(() => {})
  const { type, bytes: stored, width, height } = await content
  const size = width === null || height === null ? {} : { width, height }
  const sent = new Blob([new Uint8Array(bytes)])
  return {
    nonce: newNonce(),
    name: `${name}.${kind === 'picture' ? 'png' : 'pdf'}`,
    type,
    sent,
    stored,
    ...size,
  }
}

/** The least that the server takes. */
export function pdf(name: string): Buffer<ArrayBuffer> {
  return Buffer.from(`%PDF-1.4\n% ${name}\n1 0 obj\n<<>>\nendobj\n%%EOF\n`)
}

function picture(name: string): Promise<Buffer> {
  const [r = 0, g = 0, b = 0, width = 0, height = 0] = createHash('sha256').update(name).digest()
  const create = {
    width: 1 + (width % 16),
    height: 1 + (height % 16),
    channels: 3,
    background: { r, g, b },
  } as const
  return sharp({ create }).png().toBuffer()
}

/** Whether these are exactly the files, in their order. */
export function areFiles(typed: readonly TypedFile[], attachments: readonly Attachment[] = []): boolean {
  return typed.length === attachments.length && typed.every((file, place) => isFile(file, attachments[place]))
}

export function isFile(file: TypedFile, attachment: Attachment | undefined): boolean {
  return (
    attachment?.name === file.name &&
    attachment.type === file.type &&
    attachment.bytes === file.stored.length &&
    attachment.width === file.width &&
    attachment.height === file.height
  )
}
