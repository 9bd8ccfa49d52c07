import { Readable } from 'node:stream'
import { createInflate, inflateSync } from 'node:zlib'
import { IMAGE_PIXELS_MAX } from '@proctorpass/shared/limits'
import {
  CHUNKS_MAX,
  damaged,
  EXIF_BYTES_MAX,
  PROFILE_BYTES_MAX,
  tooLargeInSteps,
  tooManyPixels,
} from './image-limits.ts'

/** The decoder holds all pixels of an interlaced PNG more than twice. */
const INTERLACED_BYTES_MAX = 80_000_000
const PNG_CHUNKS = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT', 'IDAT', 'IEND'])
const END = Buffer.from('0000000049454e44ae426082', 'hex')
const PNG_CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/**
 * Keeps only the chunks that make up the image. Throws an AppError if the chunks do not fit into the file, or if the
 * image would take too much memory to decode.
 * @see docs/decisions/0031-pictures-and-memory.md
 */
export function stripPng(bytes: Buffer): Buffer {
  const chunks = [bytes.subarray(0, 8)]
  let hasProfile = false
  for (const { type, content, whole } of chunksOf(bytes)) {
    const isProfile: boolean = type === 'iCCP' && !hasProfile
    hasProfile ||= isProfile
    const isNeeded =
      PNG_CHUNKS.has(type) ||
      (type === 'eXIf' && content.length <= EXIF_BYTES_MAX) ||
      (isProfile && isSmallProfile(content))
    if (isNeeded) chunks.push(whole)
  }
  pngDataLength(chunks[1])
  return Buffer.concat(chunks)
}

function* chunksOf(bytes: Buffer): Generator<{ type: string; content: Buffer; whole: Buffer }> {
  let hasData = false
  let count = 0
  for (let at = 8; at + 12 <= bytes.length; ) {
    count += 1
    if (count > CHUNKS_MAX) throw damaged()
    const type = bytes.toString('latin1', at + 4, at + 8)
    const end = at + 12 + bytes.readUInt32BE(at)
    if (end > bytes.length) break
    yield { type, content: bytes.subarray(at + 8, end - 4), whole: bytes.subarray(at, end) }
    if (type === 'IEND') return
    hasData ||= type === 'IDAT'
    at = end
  }
  // `checkPngData` finds out whether the data is complete, even if the end of the file is missing.
  if (!hasData) throw damaged()
  yield { type: 'IEND', content: END.subarray(8, 8), whole: END }
}

function isSmallProfile(content: Buffer): boolean {
  // The profile follows a zero-terminated name and the compression method.
  const start = content.indexOf(0) + 2
  try {
    return (
      start > 1 && inflateSync(content.subarray(start), { maxOutputLength: PROFILE_BYTES_MAX }).length > 0
    )
  } catch {
    return false
  }
}

/** Computes the inflated length of the image data from the header chunk. */
function pngDataLength(header: Buffer | undefined): number {
  if (header?.toString('latin1', 4, 8) !== 'IHDR' || header.length !== 25) throw damaged()
  const width = header.readUInt32BE(8)
  const height = header.readUInt32BE(12)
  const bits = header.readUInt8(16) * (PNG_CHANNELS[header.readUInt8(17)] ?? 0)
  if (width === 0 || height === 0 || bits === 0) throw damaged()
  if (width * height > IMAGE_PIXELS_MAX) throw tooManyPixels()
  const lengthOf = (columns: number, rows: number) =>
    columns === 0 ? 0 : rows * (1 + Math.ceil((columns * bits) / 8))
  if (header.readUInt8(20) === 0) return lengthOf(width, height)
  if (width * height * Math.max(1, bits / 8) > INTERLACED_BYTES_MAX) throw tooLargeInSteps()
  // Each Adam7 pass has its first column and row, and then its steps between columns and rows.
  const passes = [
    [0, 0, 8, 8],
    [4, 0, 8, 8],
    [0, 4, 4, 8],
    [2, 0, 4, 4],
    [0, 2, 2, 4],
    [1, 0, 2, 2],
    [0, 1, 1, 2],
  ] as const
  return passes.reduce(
    (sum, [x, y, across, down]) =>
      sum + lengthOf(Math.ceil((width - x) / across), Math.ceil((height - y) / down)),
    0,
  )
}

/** Refuses data of any other inflated length, because the decoder would inflate all of it, several times. */
export async function checkPngData(stripped: Buffer): Promise<void> {
  const data: Buffer[] = []
  let length = 0
  for (const { type, content, whole } of chunksOf(stripped)) {
    if (type === 'IHDR') length = pngDataLength(whole)
    if (type === 'IDAT') data.push(content)
  }
  const inflate = createInflate({ chunkSize: 256 * 1024 })
  Readable.from(data).pipe(inflate)
  let sum = 0
  try {
    for await (const piece of inflate) {
      sum += piece.length
      if (sum > length) break
    }
  } catch (error) {
    throw damaged(error)
  }
  if (sum !== length) throw damaged()
}
