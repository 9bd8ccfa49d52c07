import { fieldError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'
import { convertHint, fileKindOf, isConvertible } from '@proctorpass/shared/file-kind'
import { ATTACHMENT_BYTES_MAX } from '@proctorpass/shared/limits'
import type { AttachmentType } from '@proctorpass/shared/schemas/attachment'
import { type RasterKind, rasterKindOf, rewriteRaster } from '../uploads/raster.ts'
import { WrongFile } from '../uploads/wrong-file.ts'
import { pdfProblem } from './pdf.ts'

/** A file as it is stored. From an image, only the pixels come from the sender. */
export interface AttachmentContent {
  type: AttachmentType
  bytes: Buffer
  width: number | null
  height: number | null
}

const TYPES: { readonly [K in RasterKind]: AttachmentType } = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
}

/**
 * Checks a file by its content and ignores what its name says. Throws an AppError `unsupported-media-type` or
 * `too-large` with a detail for the field `file`. `admit` is called with the number of pixels before they are decoded,
 * and its errors are passed on.
 */
export async function attachmentContentOf(
  sent: Buffer,
  options: { side: Side; admit: (pixels: number) => Promise<void> },
): Promise<AttachmentContent> {
  if (sent.length > ATTACHMENT_BYTES_MAX) throw tooLarge('This file is larger than 10 MB.')
  if (sent.length === 0) throw unsupported('This file is empty. Choose it again once it is on your device.')
  const kind = rasterKindOf(sent)
  if (kind === null) {
    const found = fileKindOf(sent)
    if (found !== null && isConvertible(found)) throw unsupported(convertHint(found))
    if (found !== 'PDF') throw unsupported('Send an image (PNG, JPEG, or WebP) or a PDF.')
    const problem = pdfProblem(sent)
    if (problem !== null) throw unsupported(problem)
    return { type: 'application/pdf', bytes: sent, width: null, height: null }
  }
  try {
    const { bytes, width, height } = await rewriteRaster(sent, kind, { widths: [], ...options })
    return { type: TYPES[kind], bytes, width, height }
  } catch (error) {
    if (!(error instanceof WrongFile)) throw error
    throw error.isTooLarge ? tooLarge(error.message, error) : unsupported(error.message, error)
  }
}

function unsupported(message: string, cause?: unknown) {
  return fieldError('file', message, { code: 'unsupported-media-type', cause })
}

function tooLarge(message: string, cause?: unknown) {
  return fieldError('file', message, { code: 'too-large', cause })
}
