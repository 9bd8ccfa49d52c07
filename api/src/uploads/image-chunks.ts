import { createInflate, inflateSync } from 'node:zlib'
import { wrongFile } from './wrong-file.ts'

export type RasterKind = 'jpg' | 'png' | 'webp'

export const PIXELS_MAX = 40_000_000
/** Color profiles take some KB, those of printers up to a MB. */
const PROFILE_BYTES_MAX = 1024 * 1024
/** Where the orientation stands. A JPEG cannot hold more. */
const EXIF_BYTES_MAX = 64 * 1024
/** A picture of 10 MB in chunks of 8 KB has some 1,300. */
const PARTS_MAX = 10_000
/** What encoders write is below 25. Each scan goes over the whole picture. */
const SCANS_MAX = 64
/** The decoder holds all coefficients of a progressive JPEG, and all of an interlaced PNG more than twice. */
const PROGRESSIVE_BYTES_MAX = 160_000_000
const INTERLACED_BYTES_MAX = 80_000_000

/**
 * The file with only those parts that make the picture: what else a format allows (texts, thumbnails, palettes of
 * programs) can expand to gigabytes in the decoder. Throws AppError when the parts do not fit into the file, and when
 * they would take too much memory or time to decode.
 */
export async function onlyPicture(bytes: Buffer, kind: RasterKind): Promise<Buffer> {
  if (kind === 'jpg') return onlyJpeg(bytes)
  if (kind === 'webp') return onlyWebp(bytes)
  return onlyPng(bytes)
}

export function tooManyPixels() {
  return wrongFile('This picture is too large: at most 40 megapixels can be used.')
}

export function movingPicture() {
  return wrongFile('Moving pictures cannot be used: please choose a still one.')
}

export function damaged(cause?: unknown) {
  return wrongFile('This picture is damaged or incomplete: it cannot be read.', cause)
}

function tooLargeInSteps() {
  return wrongFile(
    'This picture is too large to be stored in steps: please save it without “progressive” or “interlaced”.',
  )
}

const PNG_PARTS = new Set(['IHDR', 'PLTE', 'tRNS', 'gAMA', 'cHRM', 'sRGB', 'sBIT', 'IDAT', 'IEND'])
const PNG_CHANNELS: Record<number, number> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

async function onlyPng(bytes: Buffer): Promise<Buffer> {
  const parts = [bytes.subarray(0, 8)]
  const data: Buffer[] = []
  let isComplete = false
  for (let at = 8; at + 12 <= bytes.length && !isComplete; ) {
    const length = bytes.readUInt32BE(at)
    const type = bytes.toString('latin1', at + 4, at + 8)
    const end = at + 12 + length
    if (end > bytes.length) throw damaged()
    const content = bytes.subarray(at + 8, end - 4)
    const isKept =
      PNG_PARTS.has(type) ||
      (type === 'eXIf' && length <= EXIF_BYTES_MAX) ||
      (type === 'iCCP' && isSmallProfile(content))
    if (isKept) parts.push(bytes.subarray(at, end))
    if (parts.length > PARTS_MAX) throw damaged()
    if (type === 'IDAT') data.push(content)
    isComplete = type === 'IEND'
    at = end
  }
  if (!isComplete) throw damaged()
  await checkPngData(Buffer.concat(data), pngDataLength(parts[1]))
  return Buffer.concat(parts)
}

function isSmallProfile(content: Buffer): boolean {
  // A name, its end, and the number of the one method of compression.
  const start = content.indexOf(0) + 2
  try {
    return (
      start > 1 && inflateSync(content.subarray(start), { maxOutputLength: PROFILE_BYTES_MAX }).length > 0
    )
  } catch {
    return false
  }
}

/** How many bytes the data of a PNG unpack to, by its first chunk. */
function pngDataLength(header: Buffer | undefined): number {
  if (header?.toString('latin1', 4, 8) !== 'IHDR' || header.length !== 25) throw damaged()
  const width = header.readUInt32BE(8)
  const height = header.readUInt32BE(12)
  const bits = header.readUInt8(16) * (PNG_CHANNELS[header.readUInt8(17)] ?? 0)
  if (width === 0 || height === 0 || bits === 0) throw damaged()
  if (width * height > PIXELS_MAX) throw tooManyPixels()
  const lengthOf = (columns: number, rows: number) =>
    columns === 0 ? 0 : rows * (1 + Math.ceil((columns * bits) / 8))
  if (header.readUInt8(20) === 0) return lengthOf(width, height)
  if (width * height * Math.max(1, bits / 8) > INTERLACED_BYTES_MAX) throw tooLargeInSteps()
  // The passes of Adam7: first column and row, and the steps from one to the next.
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

/** Refuses data that unpack to more than the picture needs: the decoder would unpack all of them, several times. */
async function checkPngData(data: Buffer, length: number): Promise<void> {
  const unpacked = createInflate({ chunkSize: 256 * 1024 })
  unpacked.end(data)
  let sum = 0
  try {
    for await (const part of unpacked) {
      sum += part.length
      if (sum > length) break
    }
  } catch (error) {
    throw damaged(error)
  }
  if (sum !== length) throw damaged()
}

const [SOI, EOI, SOS] = [0xd8, 0xd9, 0xda]
/** Quantization and Huffman tables, arithmetic conditioning, number of lines, restart interval, and Adobe's colors. */
const JPEG_PARTS = new Set([0xdb, 0xc4, 0xcc, 0xdc, 0xdd, 0xee, SOS])
/** Baseline, extended and progressive frames, Huffman or arithmetic coded. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc9, 0xca])
const PROGRESSIVE = new Set([0xc2, 0xca])

function onlyJpeg(bytes: Buffer): Buffer {
  if (bytes.readUInt16BE(0) !== 0xff00 + SOI) throw damaged()
  const parts = [bytes.subarray(0, 2)]
  let coefficientBytes = 0
  let isProgressive = false
  let scans = 0
  let profileBytes = 0
  let hasExif = false
  for (let at = 2; ; ) {
    // Any number of 0xff may stand before a marker.
    while (bytes[at] === 0xff && bytes[at + 1] === 0xff) at += 1
    if (bytes[at] !== 0xff || at + 4 > bytes.length) {
      // What is left of a complete file is its end; a file that lacks it is still a picture.
      if (bytes[at + 1] === EOI) parts.push(bytes.subarray(at, at + 2))
      else if (scans === 0 || at < bytes.length) throw damaged()
      return Buffer.concat(parts)
    }
    const marker = bytes[at + 1] ?? 0
    if (marker === EOI) {
      parts.push(bytes.subarray(at, at + 2))
      return Buffer.concat(parts)
    }
    let end = at + 2 + bytes.readUInt16BE(at + 2)
    if (end < at + 4 || end > bytes.length) throw damaged()
    const content = bytes.subarray(at + 4, end)
    let isKept = JPEG_PARTS.has(marker)
    if (FRAMES.has(marker)) {
      if (coefficientBytes > 0) throw damaged()
      coefficientBytes = coefficientBytesOf(content)
      isProgressive = PROGRESSIVE.has(marker)
      isKept = true
    } else if (marker === SOS) {
      scans += 1
      if (scans > SCANS_MAX) throw damaged()
      const isHeldWhole = isProgressive || scans > 1
      if (isHeldWhole && coefficientBytes > PROGRESSIVE_BYTES_MAX) throw tooLargeInSteps()
      end = endOfScan(bytes, end)
    } else if (marker === 0xe0) {
      isKept = startsWith(content, 'JFIF\0')
    } else if (marker === 0xe1 && !hasExif) {
      isKept = hasExif = startsWith(content, 'Exif\0\0')
    } else if (marker === 0xe2 && startsWith(content, 'ICC_PROFILE\0')) {
      profileBytes += content.length
      isKept = profileBytes <= PROFILE_BYTES_MAX
    }
    if (isKept) parts.push(bytes.subarray(at, end))
    if (parts.length > PARTS_MAX) throw damaged()
    at = end
  }
}

/** Two bytes for each sample of each component. */
function coefficientBytesOf(frame: Buffer): number {
  if (frame.length < 6) throw damaged()
  const height = frame.readUInt16BE(1)
  const width = frame.readUInt16BE(3)
  const count = frame.readUInt8(5)
  if (height === 0 || width === 0 || count === 0 || frame.length < 6 + 3 * count) throw damaged()
  if (width * height > PIXELS_MAX) throw tooManyPixels()
  const samplings = Array.from({ length: count }, (_, index) => frame.readUInt8(7 + 3 * index))
  const across = Math.max(...samplings.map((sampling) => sampling >> 4))
  const down = Math.max(...samplings.map((sampling) => sampling & 15))
  const areas = samplings.reduce((sum, sampling) => sum + (sampling >> 4) * (sampling & 15), 0)
  if (across === 0 || down === 0) throw damaged()
  return (2 * width * height * areas) / (across * down)
}

/** Where the next marker stands: inside a scan, 0xff is followed by zero or by a restart marker. */
function endOfScan(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    if (bytes[at] !== 0xff) continue
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && (next < 0xd0 || next > 0xd7)) return at
  }
  return bytes.length
}

function startsWith(bytes: Buffer, text: string): boolean {
  return bytes.toString('latin1', 0, text.length) === text
}

/** The flag in the extended header that tells of each part. */
const WEBP_FLAGS: Record<string, number> = { ICCP: 0x20, ALPH: 0x10, EXIF: 0x08 }
const WEBP_PARTS = new Set(['VP8X', 'ALPH', 'VP8 ', 'VP8L'])

function onlyWebp(bytes: Buffer): Buffer {
  if (bytes.length < 20 || bytes.readUInt32LE(4) + 8 > bytes.length) throw damaged()
  const fileEnd = bytes.readUInt32LE(4) + 8
  const parts = new Map<string, Buffer>()
  for (let at = 12; at + 8 <= fileEnd; ) {
    const type = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const end = at + 8 + length + (length % 2)
    if (end > fileEnd) throw damaged()
    if (type === 'ANIM' || type === 'ANMF') throw movingPicture()
    const isKept =
      WEBP_PARTS.has(type) ||
      (type === 'ICCP' && length <= PROFILE_BYTES_MAX) ||
      (type === 'EXIF' && length <= EXIF_BYTES_MAX)
    if (isKept && !parts.has(type)) parts.set(type, bytes.subarray(at, end))
    at = end
  }
  const extended = parts.get('VP8X')
  if (extended !== undefined) {
    if (extended.length < 18) throw damaged()
    const flags = Object.entries(WEBP_FLAGS).reduce(
      (all, [type, flag]) => all | (parts.has(type) ? flag : 0),
      0,
    )
    const header = Buffer.from(extended)
    // VP8L has its transparency in itself.
    header.writeUInt8(flags | (header.readUInt8(8) & 0x10), 8)
    parts.set('VP8X', header)
  }
  const body = Buffer.concat([...parts.values()])
  const start = Buffer.from(bytes.subarray(0, 12))
  start.writeUInt32LE(body.length + 4, 4)
  return Buffer.concat([start, body])
}
