import { AppError } from '@proctorpass/shared/errors'
import { paths } from '@proctorpass/shared/paths'
import type { AddedAttachment } from '@proctorpass/shared/schemas/attachment'
import { createAttachmentUploads, type UploadAttachment } from './attachment-uploads.ts'
import type { ConversationAttachments, OpenAttachments } from './attachments.ts'
import type { Party } from './types.ts'

/** Stores the bytes of unsent files on a device, by nonce. */
export interface DeviceStore {
  /** Rejects if the storage is full or forbidden. */
  put(nonce: string, bytes: Blob): Promise<void>
  get(nonce: string): Promise<Blob | null>
  remove(nonces: readonly string[]): Promise<void>
}

/** Calls REST under API_PREFIX with the caller's credential. Rejects with an AppError. */
export interface AttachmentRequests {
  upload(
    path: string,
    form: FormData,
    options: { signal: AbortSignal; onProgress: (share: number) => void },
  ): Promise<AddedAttachment>
  download(path: string, signal?: AbortSignal): Promise<Blob>
}

/** An upload that does not move for this long is given up. The time includes the server's work on an image. */
const STALL_MS = 60_000
/** By this time the image's message is shown, or is not on the screen. */
const SHOWN_WITHIN_MS = 30_000

/** Images that this page has uploaded, by conversation and ID, until their message shows them without a blink. */
const uploadedImages = new WeakMap<Party, Map<string, Blob>>()

export function createConversationAttachments(
  party: Parameters<OpenAttachments>[0],
  store: DeviceStore,
  requests: AttachmentRequests,
): ConversationAttachments {
  const { side, clientId, tab } = party
  const images = uploadedImages.get(party) ?? new Map<string, Blob>()
  uploadedImages.set(party, images)
  const uploadPath =
    side === 'admin' ? paths.adminConversationFiles(clientId) : paths.conversationFiles(clientId)
  const filePath = side === 'admin' ? paths.adminConversationFile : paths.conversationFile

  const upload: UploadAttachment = async (file, signal, onProgress) => {
    const bytes = await store.get(file.nonce)
    if (bytes === null) throw new AppError('invalid-input', 'This file is no longer on this device.')
    const form = new FormData()
    form.append('nonce', file.uploadNonce ?? file.nonce)
    form.append('file', bytes, file.name)
    const stall = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const restart = () => {
      clearTimeout(timer)
      timer = setTimeout(
        () => stall.abort(new AppError('unavailable', 'The upload takes too long.')),
        STALL_MS,
      )
    }
    restart()
    try {
      const { data } = await requests.upload(uploadPath, form, {
        signal: AbortSignal.any([signal, stall.signal]),
        onProgress(share) {
          restart()
          onProgress(share)
        },
      })
      if (typeof data?._id !== 'string')
        throw new AppError('unavailable', 'The server sent an unexpected answer.')
      const { _id: id } = data
      if (file.width !== undefined) {
        images.set(id, bytes)
        setTimeout(() => images.delete(id), SHOWN_WITHIN_MS)
      }
      return id
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    keep: store.put,
    kept: store.get,
    forget: store.remove,
    async load(id, signal) {
      const image = images.get(id)
      images.delete(id)
      return image ?? (await requests.download(filePath(clientId, id), signal))
    },
    uploads: (outbox, onChange) =>
      createAttachmentUploads({ side, tab, outbox, upload, forget: store.remove, onChange }),
  }
}
