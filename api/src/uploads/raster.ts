import { AppError } from '@proctorpass/shared/errors'
import { UPLOAD_WIDTHS } from '@proctorpass/shared/limits'
import type { Sharp } from 'sharp'
import { createSemaphore } from '../limits/semaphore.ts'
import { animated, damaged, PIXELS_MAX, tooManyPixels } from './image-limits.ts'
import { stripJpeg } from './jpeg-segments.ts'
import { stripPng } from './png-chunks.ts'
import { stripWebp } from './webp-chunks.ts'
import { wrongFile } from './wrong-file.ts'

export type RasterKind = 'jpg' | 'png' | 'webp'

/** A re-encoded image: only its pixels come from the upload. */
interface Raster {
  bytes: Buffer
  /** Of the re-encoded image, which may be narrower than the upload. */
  width: number
  height: number
  /** One for each of the widths, none wider than the upload. */
  narrower: { width: number; bytes: Buffer }[]
}

/** JPEG and WebP encoders accept no longer side. */
const SIDE_MAX = 16_383
/** Twice the widest that a page shows. Full camera size takes three times the memory to encode. */
const WIDTH_MAX = 3_200
const SECONDS_MAX = 20
const QUALITY = 82

type Decoder = typeof import('sharp').default

/** Loaded with the first image: an idle server does without its memory. */
async function loadDecoder(): Promise<Decoder> {
  const { default: sharp } = await import('sharp')
  // No cache of decoded uploads, and one thread, to leave the chat its share of a small machine.
  sharp.cache(false)
  sharp.concurrency(1)
  return sharp
}

/** One at a time: a large image takes about 100 MB while it is rotated and encoded. */
const semaphore = createSemaphore({
  atOnce: 1,
  waitingMax: 8,
  refusal: 'Too many images at once. Try again in a moment.',
})

const STRIP = { jpg: stripJpeg, png: stripPng, webp: stripWebp }

/** The kind of an image by its content; null for anything else. */
export function rasterKindOf(bytes: Buffer): RasterKind | null {
  const start = bytes.subarray(0, 12).toString('latin1')
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (start.startsWith('\xff\xd8\xff')) return 'jpg'
  return start.startsWith('RIFF') && start.slice(8) === 'WEBP' ? 'webp' : null
}

/**
 * Decodes and re-encodes an image, also in narrower widths, one image at a time. Throws AppError when it cannot be decoded or is too large.
 * @see docs/decisions/0031-pictures-and-memory.md
 */
export function rewriteRaster(
  bytes: Buffer,
  kind: RasterKind,
  widths: readonly number[] = UPLOAD_WIDTHS,
): Promise<Raster> {
  return semaphore(() => rewrite(bytes, kind, widths))
}

async function rewrite(sent: Buffer, kind: RasterKind, widths: readonly number[]): Promise<Raster> {
  const sharp = await loadDecoder()
  const read = (bytes: Buffer) => sharp(bytes, { limitInputPixels: PIXELS_MAX, failOn: 'error', pages: 1 })
  try {
    const bytes = await STRIP[kind](sent)
    await check(read(bytes), kind)
    // Rotated first: the orientation is in the metadata, which are dropped.
    const upright = () => read(bytes).autoOrient().timeout({ seconds: SECONDS_MAX })
    const upTo = (width: number) => upright().resize({ width, withoutEnlargement: true })
    const { data, info } = await encoded(upTo(WIDTH_MAX), kind).toBuffer({ resolveWithObject: true })
    const narrower: Raster['narrower'] = []
    for (const width of widths) {
      narrower.push({ width, bytes: await upTo(width).webp({ quality: QUALITY }).toBuffer() })
    }
    return { bytes: data, width: info.width, height: info.height, narrower }
  } catch (error) {
    if (error instanceof AppError) throw error
    // The decoder's message names internals, so it goes to the log only.
    throw damaged(error)
  }
}

async function check(image: Sharp, kind: RasterKind): Promise<void> {
  const {
    format,
    width,
    height,
    pages = 1,
  } = await image.metadata().catch((error: Error) => {
    throw error.message.includes('pixel limit') ? tooManyPixels() : error
  })
  if (format !== (kind === 'jpg' ? 'jpeg' : kind))
    throw wrongFile("The content of this file doesn't match its name.")
  if (pages > 1) throw animated()
  if (width * height > PIXELS_MAX || width > SIDE_MAX || height > SIDE_MAX) throw tooManyPixels()
}

function encoded(image: Sharp, kind: RasterKind): Sharp {
  if (kind === 'jpg') return image.jpeg({ quality: QUALITY, progressive: true })
  if (kind === 'webp') return image.webp({ quality: QUALITY })
  return image.png({ compressionLevel: 8 })
}
