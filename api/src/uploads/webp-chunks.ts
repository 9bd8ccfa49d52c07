import {
  animated,
  CHUNKS_MAX,
  damaged,
  EXIF_BYTES_MAX,
  LOSSLESS_WEBP_PIXELS_MAX,
  PROFILE_BYTES_MAX,
  tooLargeLossless,
} from './image-limits.ts'

/** Bits of the extended header that announce these chunks. */
const WEBP_FLAGS: Record<string, number> = { ICCP: 0x20, ALPH: 0x10, EXIF: 0x08 }
const WEBP_CHUNKS = new Set(['VP8X', 'ALPH', 'VP8 ', 'VP8L'])

/** Keeps only a WebP's needed chunks, as `stripPng` does for a PNG. */
export function stripWebp(bytes: Buffer): Buffer {
  if (bytes.length < 20) throw damaged()
  // Some programs write a wrong length, but each chunk must still fit into the file.
  const fileEnd = Math.min(bytes.readUInt32LE(4) + 8, bytes.length)
  const chunks = new Map<string, Buffer>()
  let count = 0
  for (let at = 12; at + 8 <= fileEnd; ) {
    count += 1
    if (count > CHUNKS_MAX) throw damaged()
    const type = bytes.toString('latin1', at, at + 4)
    const length = bytes.readUInt32LE(at + 4)
    const end = at + 8 + length + (length % 2)
    // Only the last chunk's padding may be missing.
    if (at + 8 + length > fileEnd) throw damaged()
    if (type === 'ANIM' || type === 'ANMF') throw animated()
    const isNeeded =
      WEBP_CHUNKS.has(type) ||
      (type === 'ICCP' && length <= PROFILE_BYTES_MAX) ||
      (type === 'EXIF' && length <= EXIF_BYTES_MAX)
    if (isNeeded && !chunks.has(type)) chunks.set(type, padded(bytes.subarray(at, end)))
    at = end
  }
  const lossless = chunks.get('VP8L')
  if (lossless !== undefined && losslessPixels(lossless) > LOSSLESS_WEBP_PIXELS_MAX) throw tooLargeLossless()
  const extended = chunks.get('VP8X')
  if (extended !== undefined) {
    if (extended.length < 18) throw damaged()
    const flags = Object.entries(WEBP_FLAGS).reduce(
      (all, [type, flag]) => all | (chunks.has(type) ? flag : 0),
      0,
    )
    const header = Buffer.from(extended)
    // The alpha bit stays, because VP8L holds its alpha without an ALPH chunk.
    header.writeUInt8(flags | (header.readUInt8(8) & 0x10), 8)
    chunks.set('VP8X', header)
  }
  const body = Buffer.concat([...chunks.values()])
  const start = Buffer.from(bytes.subarray(0, 12))
  start.writeUInt32LE(body.length + 4, 4)
  return Buffer.concat([start, body])
}

function padded(chunk: Buffer): Buffer {
  return chunk.length % 2 === 0 ? chunk : Buffer.concat([chunk, Buffer.alloc(1)])
}

/**
 * Returns the number of pixels. The chunk's head and a signature come first, then 14 bits of the width less one, and 14
 * bits of the height less one.
 */
function losslessPixels(chunk: Buffer): number {
  if (chunk.length < 13) throw damaged()
  const bits = chunk.readUInt32LE(9)
  return ((bits & 0x3fff) + 1) * (((bits >>> 14) & 0x3fff) + 1)
}
