import { IMAGE_PIXELS_MAX } from '@proctorpass/shared/limits'
import { CHUNKS_MAX, damaged, PROFILE_BYTES_MAX, tooLargeInSteps, tooManyPixels } from './image-limits.ts'

/** Encoders write fewer than 25 scans. Each scan covers the whole image. */
const SCANS_MAX = 64
/** The decoder holds all coefficients of a progressive JPEG. */
const PROGRESSIVE_BYTES_MAX = 90_000_000
const [SOI, EOI, SOS] = [0xd8, 0xd9, 0xda]
const END = Buffer.from([0xff, EOI])
/** Quantization and Huffman tables, arithmetic conditioning, number of lines, restart interval, and Adobe's colors. */
const JPEG_SEGMENTS = new Set([0xdb, 0xc4, 0xcc, 0xdc, 0xdd, 0xee, SOS])
/** The markers of baseline, extended, and progressive frames with Huffman or arithmetic coding. */
const FRAMES = new Set([0xc0, 0xc1, 0xc2, 0xc9, 0xca])
const PROGRESSIVE = new Set([0xc2, 0xca])

/**
 * Keeps only a JPEG's needed segments, as `stripPng` does for chunks. `isEndless` means that the file has no end
 * marker, which some cameras leave out, so that only the decoder can find out whether pixels are missing.
 */
export function stripJpeg(bytes: Buffer): { bytes: Buffer; isEndless: boolean } {
  if (bytes.readUInt16BE(0) !== 0xff00 + SOI) throw damaged()
  const segments = [bytes.subarray(0, 2)]
  let coefficientBytes = 0
  let isProgressive = false
  let count = 0
  let scans = 0
  let profileBytes = 0
  let hasExif = false
  for (let at = nextMarker(bytes, 2); ; at = nextMarker(bytes, at)) {
    const marker = bytes[at + 1]
    count += 1
    if (count > CHUNKS_MAX) throw damaged()
    if (marker === undefined || marker === EOI) {
      if (marker === undefined && scans === 0) throw damaged()
      return { bytes: Buffer.concat([...segments, END]), isEndless: marker === undefined }
    }
    if (marker === SOI || at + 4 > bytes.length) throw damaged()
    let end = at + 2 + bytes.readUInt16BE(at + 2)
    if (end < at + 4 || end > bytes.length) throw damaged()
    const content = bytes.subarray(at + 4, end)
    let isNeeded = JPEG_SEGMENTS.has(marker)
    if (FRAMES.has(marker)) {
      if (coefficientBytes > 0) throw damaged()
      coefficientBytes = coefficientBytesOf(content)
      isProgressive = PROGRESSIVE.has(marker)
      isNeeded = true
    } else if (marker === SOS) {
      scans += 1
      if (scans > SCANS_MAX) throw damaged()
      const needsCoefficients = isProgressive || scans > 1
      if (needsCoefficients && coefficientBytes > PROGRESSIVE_BYTES_MAX) throw tooLargeInSteps()
      end = nextMarker(bytes, end)
    } else if (marker === 0xe0) {
      isNeeded = startsWith(content, 'JFIF\0')
    } else if (marker === 0xe1 && !hasExif) {
      isNeeded = hasExif = startsWith(content, 'Exif\0\0')
    } else if (marker === 0xe2 && startsWith(content, 'ICC_PROFILE\0')) {
      profileBytes += content.length
      isNeeded = profileBytes <= PROFILE_BYTES_MAX
    }
    if (isNeeded) segments.push(bytes.subarray(at, end))
    at = end
  }
}

/** Returns the size of the coefficients: the decoder holds two bytes for each sample of each component. */
function coefficientBytesOf(frame: Buffer): number {
  if (frame.length < 6) throw damaged()
  const height = frame.readUInt16BE(1)
  const width = frame.readUInt16BE(3)
  const count = frame.readUInt8(5)
  if (height === 0 || width === 0 || count === 0 || frame.length < 6 + 3 * count) throw damaged()
  if (width * height > IMAGE_PIXELS_MAX) throw tooManyPixels()
  const samplings = Array.from({ length: count }, (_, index) => frame.readUInt8(7 + 3 * index))
  const across = Math.max(...samplings.map((sampling) => sampling >> 4))
  const down = Math.max(...samplings.map((sampling) => sampling & 15))
  const areas = samplings.reduce((sum, sampling) => sum + (sampling >> 4) * (sampling & 15), 0)
  if (across === 0 || down === 0) throw damaged()
  return (2 * width * height * areas) / (across * down)
}

/**
 * Returns the offset of the next segment, or the end of the file. Decoders skip everything else between two segments: a
 * scan's data, in which zero or a restart marker follows 0xff, repeated 0xff before a marker, and meaningless bytes.
 */
function nextMarker(bytes: Buffer, start: number): number {
  for (let at = start; at < bytes.length; at += 1) {
    if (bytes[at] !== 0xff) continue
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && !isLone(next)) return at
  }
  return bytes.length
}

/** Restart markers and a marker for temporary use stand alone, without content. */
function isLone(marker: number): boolean {
  return marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)
}

function startsWith(bytes: Buffer, text: string): boolean {
  return bytes.toString('latin1', 0, text.length) === text
}
