import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { FILE_PIXELS_MAX } from '@proctorpass/shared/limits'
import { programFile } from '../installation.ts'
import { rasterKindOf, rewriteRaster } from './raster.ts'
import type { CleanSvg } from './svg.ts'
import { imagePlace } from './svg-vocabulary.ts'
import { WrongFile, wrongFile } from './wrong-file.ts'

const WORKER = programFile('uploads/svg-worker.ts')
/** The largest SVG takes two seconds. Processor time: on a busy machine it may take longer. */
const CPU_MAX_MS = 10_000
const LOOK_EVERY_MS = 250
const MEMORY_MAX_MB = 512

/**
 * As `rewriteSvg`, in a thread that ends with the file, within bounds of processor time and memory. Its embedded images
 * are decoded and re-encoded. Throws AppError when it is refused.
 */
export async function rewriteSvgInThread(bytes: Buffer): Promise<Omit<CleanSvg, 'images'>> {
  const { text, images, ...rest } = await inThread(bytes)
  const encoded: string[] = []
  let pixels = 0
  for (const image of images) {
    encoded.push(
      await rewritten(Buffer.from(image), async (more) => {
        pixels += more
        if (pixels > FILE_PIXELS_MAX) throw wrongFile('they have more than 40 megapixels together.')
      }),
    )
  }
  return {
    ...rest,
    text: encoded.reduce((all, image, index) => all.replaceAll(imagePlace(index), image), text),
  }
}

async function inThread(bytes: Buffer): Promise<CleanSvg> {
  const worker = new Worker(WORKER, {
    workerData: bytes,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB },
  })
  const end = new AbortController()
  worker.once('exit', () => end.abort())
  const watch = setInterval(async () => {
    // It has ended.
    const used = await worker.cpuUsage().catch(() => null)
    if (used !== null && used.user + used.system > CPU_MAX_MS * 1_000) end.abort()
  }, LOOK_EVERY_MS)
  try {
    const [answer] = (await once(worker, 'message', { signal: end.signal })) as [
      CleanSvg | { refusal: string },
    ]
    if ('refusal' in answer) throw wrongFile(answer.refusal)
    return answer
  } catch (error) {
    if (error instanceof WrongFile) throw error
    throw wrongFile('This SVG takes too long to read. Simplify it, or export it as PNG.', error)
  } finally {
    clearInterval(watch)
    await worker.terminate()
  }
}

/** An embedded image as the URL of its data. */
async function rewritten(image: Buffer, admit: (pixels: number) => Promise<void>): Promise<string> {
  const kind = rasterKindOf(image)
  try {
    if (kind === null) throw wrongFile('it is no PNG, JPEG or WebP.')
    const { bytes } = await rewriteRaster(image, kind, { widths: [], admit })
    return `data:image/${kind === 'jpg' ? 'jpeg' : kind};base64,${bytes.toString('base64')}`
  } catch (error) {
    if (!(error instanceof WrongFile)) throw error
    throw wrongFile(`An image in this SVG can't be read: ${error.message}`, error)
  }
}
