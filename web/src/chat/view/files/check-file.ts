import { FILE_BYTES_MAX, FILE_NAME_MAX, FILE_PIXELS_MAX } from '@proctorpass/shared/limits'
import type { FileType } from '@proctorpass/shared/schemas/file'
import { FILE_TYPES } from '../shown-file.ts'

/** Why a file cannot be sent; each has its words. */
export type FileProblem =
  | 'wrongType'
  | 'empty'
  | 'tooLarge'
  | 'unreadable'
  | 'tooManyPixels'
  | 'noRoom'
  | 'tooMany'

/** What the message shows of a chosen file, or why it cannot be sent: the server judges again. */
export type CheckedFile =
  | { name: string; type: FileType; bytes: number; width?: number; height?: number }
  | { name: string; problem: FileProblem }

export async function checkFile(file: File): Promise<CheckedFile> {
  const name = [...file.name].slice(0, FILE_NAME_MAX).join('')
  const type = FILE_TYPES.find((each) => each === file.type)
  if (type === undefined) return { name, problem: 'wrongType' }
  if (file.size === 0) return { name, problem: 'empty' }
  if (file.size > FILE_BYTES_MAX) return { name, problem: 'tooLarge' }
  const checked = { name, type, bytes: file.size }
  if (type === 'application/pdf') return checked
  const size = await sizeOf(file)
  if (size === null) return { name, problem: 'unreadable' }
  if (size.width * size.height > FILE_PIXELS_MAX) return { name, problem: 'tooManyPixels' }
  return { ...checked, ...size }
}

/** As the image is shown, upright. */
async function sizeOf(file: File): Promise<{ width: number; height: number } | null> {
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
