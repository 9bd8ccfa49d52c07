import { AppError } from '@proctorpass/shared/errors'
import type { Side } from '@proctorpass/shared/events'
import { type FileKind, fileKindOf } from '@proctorpass/shared/file-kind'
import { FACE_SIDE, IMAGE_PIXELS_MAX, IMAGE_SIDE_MAX, UPLOAD_WIDTHS } from '@proctorpass/shared/limits'
import type { Sharp } from 'sharp'
import { createSemaphore } from '../limits/semaphore.ts'
import { animated, damaged, tooLong, tooManyPixels } from './image-limits.ts'
import { stripJpeg } from './jpeg-segments.ts'
import { checkPngData, stripPng } from './png-chunks.ts'
import { stripWebp } from './webp-chunks.ts'
import { wrongFile } from './wrong-file.ts'

export type RasterKind = 'jpg' | 'png' | 'webp'

/** A re-encoded image, of which only the pixels come from the upload. */
interface Raster {
  bytes: Buffer
  /** The width of the re-encoded image, which may be narrower than the upload. */
  width: number
  height: number
  /** One image for each requested width, never wider than the upload. */
  narrower: { width: number; bytes: Buffer }[]
}

/** The WebP encoder accepts no longer side. */
const STORED_SIDE_MAX = 16_383
/** Twice the widest image that a page shows. Encoding at full camera size takes three times the memory. */
const WIDTH_MAX = 3_200
/** Encoders hold a whole image; the WebP encoder takes 16 bytes for each pixel. */
const STORED_PIXELS_MAX = 9_000_000
const SECONDS_MAX = 20
const QUALITY = 82

type Decoder = typeof import('sharp').default

/** Loads the decoder with the first image, so that an idle server does not need its memory. */
async function loadDecoder(): Promise<Decoder> {
  const { default: sharp } = await import('sharp')
  // Decoded uploads are not cached, and one thread is enough, to leave the chat its share of a small machine.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

/**
 * Images are rewritten one at a time to bound memory. All forms that are read at once can wait (`http/multipart.ts`).
 */
const semaphore = createSemaphore({
  atOnce: 1,
  waitingMax: 80,
  refusal: 'Too many images at once. Try again in a moment.',
})

function strip(bytes: Buffer, kind: RasterKind): { bytes: Buffer; isEndless: boolean } {
  if (kind === 'jpg') return stripJpeg(bytes)
  return { bytes: kind === 'png' ? stripPng(bytes) : stripWebp(bytes), isEndless: false }
}

const RASTER_KINDS = new Map<FileKind | null, RasterKind>([
  ['PNG', 'png'],
  ['JPEG', 'jpg'],
  ['WebP', 'webp'],
])

/** Returns an image's kind by its content; null for anything else. */
export function rasterKindOf(bytes: Buffer): RasterKind | null {
  return RASTER_KINDS.get(fileKindOf(bytes)) ?? null
}

interface Rewriting {
  /** The widths of additional images; an image is never enlarged. */
  widths?: readonly number[]
  /** Called with the number of pixels before they are decoded. Its errors are passed on. */
  admit?: (pixels: number) => Promise<void>
  /** The side that sent the image. Admins do not wait for visitors. */
  side?: Side
}

/**
 * Decodes and re-encodes an image, one image at a time, and also makes narrower ones. Throws an AppError if the image
 * cannot be decoded or is too large.
 * @see docs/decisions/0031-pictures-and-memory.md
 */
export function rewriteRaster(bytes: Buffer, kind: RasterKind, options: Rewriting = {}): Promise<Raster> {
  const { widths = UPLOAD_WIDTHS, admit, side } = options
  const rewrite = async (upright: () => Sharp, size: Size): Promise<Raster> => {
    const widthMax = Math.min(
      WIDTH_MAX,
      Math.max(1, Math.floor(Math.sqrt((STORED_PIXELS_MAX * size.width) / size.height))),
    )
    const upTo = (width: number) =>
      upright().resize({
        ...{ width: Math.min(width, widthMax), height: STORED_SIDE_MAX },
        ...{ fit: 'inside', withoutEnlargement: true },
      })
    const { data, info } = await encoded(upTo(WIDTH_MAX), kind).toBuffer({ resolveWithObject: true })
    const narrower: Raster['narrower'] = []
    for (const width of widths) {
      narrower.push({ width, bytes: await upTo(width).webp({ quality: QUALITY }).toBuffer() })
    }
    return { bytes: data, width: info.width, height: info.height, narrower }
  }
  return semaphore(() => decoded(bytes, kind, admit, rewrite), { first: side !== 'visitor' })
}

/**
 * Decodes an image and re-encodes its center square as an admin's picture, a WebP of FACE_SIDE pixels without
 * transparency. Throws as `rewriteRaster` does.
 */
export function rewriteFace(bytes: Buffer, kind: RasterKind): Promise<Buffer> {
  const rewrite = (upright: () => Sharp, { width, height }: Size) => {
    const side = Math.min(width, height)
    const left = Math.floor((width - side) / 2)
    const top = Math.floor((height - side) / 2)
    return upright()
      .extract({ left, top, width: side, height: side })
      .resize(FACE_SIDE, FACE_SIDE)
      .flatten({ background: '#fff' })
      .webp({ quality: QUALITY })
      .toBuffer()
  }
  return semaphore(() => decoded(bytes, kind, undefined, rewrite), { first: true })
}

/** Checks an image, and calls `rewrite` with what decodes it and with its size. */
async function decoded<T>(
  sent: Buffer,
  kind: RasterKind,
  admit: Rewriting['admit'],
  rewrite: (upright: () => Sharp, size: Size) => Promise<T>,
): Promise<T> {
  const sharp = await loadDecoder()
  try {
    const { bytes, isEndless } = strip(sent, kind)
    // The decoder only warns about missing pixels if the file has no end marker.
    const failOn = isEndless ? 'warning' : 'error'
    const read = (bytes: Buffer) => sharp(bytes, { limitInputPixels: IMAGE_PIXELS_MAX, failOn, pages: 1 })
    const size = await check(read(bytes), kind)
    await admit?.(size.width * size.height)
    if (kind === 'png') await checkPngData(bytes)
    // The image is rotated first, because the orientation is in the metadata, which is dropped.
    return await rewrite(() => read(bytes).autoOrient().timeout({ seconds: SECONDS_MAX }), size)
  } catch (error) {
    if (error instanceof AppError) throw error
    // The decoder's message names internals, so it goes only to the log.
    throw damaged(error)
  }
}

interface Size {
  /** The width of the upright image. */
  width: number
  height: number
}

async function check(image: Sharp, kind: RasterKind): Promise<Size> {
  const {
    format,
    width,
    height,
    pages = 1,
    orientation = 1,
  } = await image.metadata().catch((error: Error) => {
    throw error.message.includes('pixel limit') ? tooManyPixels() : error
  })
  if (format !== (kind === 'jpg' ? 'jpeg' : kind))
    throw wrongFile("The content of this file doesn't match its name.")
  if (pages > 1) throw animated()
  if (width * height > IMAGE_PIXELS_MAX) throw tooManyPixels()
  if (Math.max(width, height) > IMAGE_SIDE_MAX) throw tooLong()
  return orientation > 4 ? { width: height, height: width } : { width, height }
}

function encoded(image: Sharp, kind: RasterKind): Sharp {
  if (kind === 'jpg') return image.jpeg({ quality: QUALITY, progressive: true })
  if (kind === 'webp') return image.webp({ quality: QUALITY })
  return image.png({ compressionLevel: 8 })
}
