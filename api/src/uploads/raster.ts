import { AppError } from '@proctorpass/shared/errors'
import { UPLOAD_WIDTHS } from '@proctorpass/shared/limits'
import sharp, { type Sharp } from 'sharp'
import { createSemaphore } from '../limits/semaphore.ts'
import {
  damaged,
  movingPicture,
  onlyPicture,
  PIXELS_MAX,
  type RasterKind,
  tooManyPixels,
} from './image-chunks.ts'
import { wrongFile } from './wrong-file.ts'

/** A picture written anew: nothing but its pixels is left of what was sent. */
export interface Raster {
  bytes: Buffer
  /** Of what is written: a very wide one is made narrower. */
  width: number
  height: number
  /** One for each of UPLOAD_WIDTHS, none wider than the picture itself. */
  narrower: { width: number; bytes: Buffer }[]
}

/** Both formats of ours hold no more a side. */
const SIDE_MAX = 16_383
/** Twice the widest that a page shows. A camera's own size takes three times the memory to write, for nobody. */
const WIDTH_KEPT = 3_200
const SECONDS_MAX = 20
const QUALITY = 82

// Nothing is kept of a stranger's picture, and one thread leaves the chat its share of a small machine.
sharp.cache(false)
sharp.concurrency(1)

/** One after the other: a large picture takes some 100 MB while it is turned and written. */
const semaphore = createSemaphore({
  atOnce: 1,
  waitingMax: 8,
  refusal: 'Too many pictures at once. Please try again in a moment.',
})

/** Decodes and encodes, one picture after the other. Throws AppError when it cannot be decoded or is too large. */
export function rewriteRaster(bytes: Buffer, kind: RasterKind): Promise<Raster> {
  return semaphore(() => rewrite(bytes, kind))
}

async function rewrite(sent: Buffer, kind: RasterKind): Promise<Raster> {
  try {
    const bytes = await onlyPicture(sent, kind)
    await check(bytes, kind)
    // Upright first: how the camera was held is told in the metadata, which go.
    const upright = () => read(bytes).autoOrient().timeout({ seconds: SECONDS_MAX })
    const upTo = (width: number) => upright().resize({ width, withoutEnlargement: true })
    const { data, info } = await encoded(upTo(WIDTH_KEPT), kind).toBuffer({ resolveWithObject: true })
    const narrower: Raster['narrower'] = []
    for (const width of UPLOAD_WIDTHS) {
      narrower.push({ width, bytes: await upTo(width).webp({ quality: QUALITY }).toBuffer() })
    }
    return { bytes: data, width: info.width, height: info.height, narrower }
  } catch (error) {
    if (error instanceof AppError) throw error
    // What the decoder says names its internals; what it means is always this.
    throw damaged(error)
  }
}

async function check(bytes: Buffer, kind: RasterKind): Promise<void> {
  const {
    format,
    width,
    height,
    pages = 1,
  } = await read(bytes)
    .metadata()
    .catch((error: Error) => {
      throw error.message.includes('pixel limit') ? tooManyPixels() : error
    })
  if (format !== (kind === 'jpg' ? 'jpeg' : kind)) throw wrongFile('This picture is not what its name says.')
  if (pages > 1) throw movingPicture()
  if (width * height > PIXELS_MAX || width > SIDE_MAX || height > SIDE_MAX) throw tooManyPixels()
}

function read(bytes: Buffer): Sharp {
  return sharp(bytes, { limitInputPixels: PIXELS_MAX, failOn: 'error', pages: 1 })
}

function encoded(picture: Sharp, kind: RasterKind): Sharp {
  if (kind === 'jpg') return picture.jpeg({ quality: QUALITY, progressive: true })
  if (kind === 'webp') return picture.webp({ quality: QUALITY })
  return picture.png({ compressionLevel: 8 })
}
