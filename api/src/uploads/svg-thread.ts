import { IMAGE_PIXELS_MAX } from '@proctorpass/shared/limits'
import { inThread, ThreadEnded } from '../jobs/in-thread.ts'
import { rasterKindOf, rewriteRaster } from './raster.ts'
import type { CleanSvg } from './svg.ts'
import { imagePlace } from './svg-vocabulary.ts'
import { WrongFile, wrongFile } from './wrong-file.ts'

/** The largest SVG takes two seconds. */
const BOUNDS = { cpuMaxMs: 10_000, memoryMaxMb: 512 }

/**
 * Runs `rewriteSvg` in a thread that ends with the file, and re-encodes the embedded images. Throws an AppError if the
 * SVG or one of its images is refused.
 */
export async function rewriteSvgInThread(bytes: Buffer): Promise<Omit<CleanSvg, 'images'>> {
  const { text, images, ...rest } = await cleanSvg(bytes)
  const encoded: string[] = []
  let pixels = 0
  for (const image of images) {
    encoded.push(
      await rewritten(Buffer.from(image), async (more) => {
        pixels += more
        if (pixels > IMAGE_PIXELS_MAX) throw wrongFile('they have more than 40 megapixels together.')
      }),
    )
  }
  return {
    ...rest,
    text: encoded.reduce((all, image, index) => all.replaceAll(imagePlace(index), image), text),
  }
}

async function cleanSvg(bytes: Buffer): Promise<CleanSvg> {
  try {
    const answer = await inThread<CleanSvg | { refusal: string }>('uploads/svg-worker.ts', bytes, BOUNDS)
    if ('refusal' in answer) throw wrongFile(answer.refusal)
    return answer
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error
    throw wrongFile('This SVG takes too long to read. Simplify it, or export it as PNG.', error)
  }
}

/** Re-encodes an embedded image and returns it as a data URL. */
async function rewritten(image: Buffer, admit: (pixels: number) => Promise<void>): Promise<string> {
  const kind = rasterKindOf(image)
  try {
    if (kind === null) throw wrongFile("it isn't a PNG, JPEG, or WebP.")
    const { bytes } = await rewriteRaster(image, kind, { widths: [], admit })
    return `data:image/${kind === 'jpg' ? 'jpeg' : kind};base64,${bytes.toString('base64')}`
  } catch (error) {
    if (!(error instanceof WrongFile)) throw error
    throw wrongFile(`An image in this SVG can't be read: ${error.message}`, error)
  }
}
