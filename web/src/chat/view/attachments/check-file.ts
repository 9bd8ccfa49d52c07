import { FILE_START_BYTES, type FileKind, fileKindOf, isConvertible } from '@proctorpass/shared/file-kind'
import {
  ATTACHMENT_BYTES_MAX,
  ATTACHMENT_NAME_MAX,
  IMAGE_PIXELS_MAX,
  IMAGE_SIDE_MAX,
} from '@proctorpass/shared/limits'
import type { AttachmentType } from '@proctorpass/shared/schemas/attachment'

/** Why a file cannot be sent. Each reason has its own words. */
export type FileProblem =
  | 'wrongType'
  | 'convert'
  | 'empty'
  | 'tooLarge'
  | 'unreadable'
  | 'tooManyPixels'
  | 'tooLong'
  | 'noRoom'
  | 'tooMany'

/** What the message shows about a chosen file, or why it cannot be sent. The server checks it again. */
export type CheckedFile =
  | { name: string; type: AttachmentType; bytes: number; width?: number; height?: number; content: Blob }
  | { name: string; problem: FileProblem; kind?: FileKind }

const TYPES = new Map<FileKind | null, AttachmentType>([
  ['PNG', 'image/png'],
  ['JPEG', 'image/jpeg'],
  ['WebP', 'image/webp'],
  ['PDF', 'application/pdf'],
])

/** Checks a file by its first bytes, as the server does, and converts an image that only this browser can read. */
export async function checkFile(file: File): Promise<CheckedFile> {
  const name = [...file.name].slice(0, ATTACHMENT_NAME_MAX).join('')
  if (file.size === 0) return { name, problem: 'empty' }
  const start = await file
    .slice(0, FILE_START_BYTES)
    .arrayBuffer()
    .catch(() => null)
  if (start === null) return { name, problem: 'unreadable' }
  const kind = fileKindOf(new Uint8Array(start))
  if (kind !== null && isConvertible(kind)) {
    // A converted animation would keep only its first image.
    const jpeg = kind === 'GIF' ? null : await converted(file)
    return jpeg === null ? { name, problem: 'convert', kind } : checkFile(jpeg)
  }
  if (file.size > ATTACHMENT_BYTES_MAX) return { name, problem: 'tooLarge' }
  const type = TYPES.get(kind)
  if (type === undefined) {
    const isNamedAsKnown = [...TYPES.values()].some((each) => each === file.type)
    return { name, problem: isNamedAsKnown ? 'unreadable' : 'wrongType' }
  }
  const checked = { name, type, bytes: file.size, content: file.slice(0, file.size, type) }
  if (type === 'application/pdf') return checked
  const size = await sizeOf(checked.content)
  if (size === null) return { name, problem: 'unreadable' }
  if (size.width * size.height > IMAGE_PIXELS_MAX) return { name, problem: 'tooManyPixels' }
  if (Math.max(size.width, size.height) > IMAGE_SIDE_MAX) return { name, problem: 'tooLong' }
  return { ...checked, ...size }
}

async function converted(file: File): Promise<File | null> {
  const module = await import('../../../lib/as-jpeg.ts').catch(() => null)
  return module?.asJpeg(file) ?? null
}

/** Returns the image's size as it is shown, upright. */
async function sizeOf(file: Blob): Promise<{ width: number; height: number } | null> {
  const url = URL.createObjectURL(file)
  try {
    return await new Promise((resolve) => {
      const image = new Image()
      image.onload = () => resolve({ width: image.naturalWidth, height: image.naturalHeight })
      image.onerror = () => resolve(null)
      image.src = url
    })
  } finally {
    URL.revokeObjectURL(url)
  }
}
