/** A file's kind according to its first bytes. The names are those that people know. */
export type FileKind =
  | 'PNG'
  | 'JPEG'
  | 'WebP'
  | 'PDF'
  | 'SVG'
  | 'HEIC'
  | 'AVIF'
  | 'GIF'
  | 'BMP'
  | 'TIFF'
  | 'JPEG XL'
  | 'JPEG 2000'
  | 'PSD'
  | 'ZIP'
  | 'video'

/** PDF readers look for a PDF's start in this many bytes. */
export const FILE_START_BYTES = 1_024

/** Kinds of images that are not accepted as they are, and that image programs can save as JPEG. */
const CONVERTIBLE: ReadonlySet<FileKind | null> = new Set([
  'HEIC',
  'AVIF',
  'BMP',
  'TIFF',
  'JPEG XL',
  'JPEG 2000',
  'PSD',
  'GIF',
] as const)

/** Signatures at the start of a file, in Latin-1. */
const SIGNATURES: readonly [start: string, kind: FileKind][] = [
  ['\x89PNG\r\n\x1a\n', 'PNG'],
  ['\xff\xd8\xff', 'JPEG'],
  ['GIF8', 'GIF'],
  ['BM', 'BMP'],
  ['II*\0', 'TIFF'],
  ['MM\0*', 'TIFF'],
  ['\xff\x0a', 'JPEG XL'],
  ['\0\0\0\x0cJXL ', 'JPEG XL'],
  ['\0\0\0\x0cjP  ', 'JPEG 2000'],
  ['\xff\x4f\xff\x51', 'JPEG 2000'],
  ['8BPS', 'PSD'],
  ['PK\x03\x04', 'ZIP'],
  ['PK\x05\x06', 'ZIP'],
]
/** The brands in files that begin with `ftyp`. Files with other brands are videos. */
const BRANDS: readonly [brand: RegExp, kind: FileKind][] = [
  [/avi[fs]/, 'AVIF'],
  [/hei[cmsx]|hev[cmsx]|mif1|msf1/, 'HEIC'],
]

/** Returns the kind of the file that begins with these bytes (up to FILE_START_BYTES). Null for anything else. */
export function fileKindOf(start: Uint8Array): FileKind | null {
  const text = latin1(start.subarray(0, FILE_START_BYTES))
  const known = SIGNATURES.find(([signature]) => text.startsWith(signature))
  if (known) return known[1]
  if (text.startsWith('RIFF')) return text.startsWith('WEBP', 8) ? 'WebP' : null
  if (text.startsWith('ftyp', 4)) {
    // The first brand names the file. The others say which readers can read it.
    return BRANDS.find(([brand]) => brand.test(text.slice(8, 12)))?.[1] ?? 'video'
  }
  // Printers and servers put a line or two before the start.
  if (text.includes('%PDF-')) return 'PDF'
  // In UTF-16, every second byte is zero.
  const markup = text.replaceAll('\0', '').replace(/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)/, '')
  return /^\s*</.test(markup) && /<svg[\s>/]|<[\w.-]{1,40}:svg[\s>/]/.test(markup) ? 'SVG' : null
}

/** Whether a file of this kind is an image that can be sent once it is saved as JPEG. */
export function isConvertible(kind: FileKind | null): boolean {
  return CONVERTIBLE.has(kind)
}

/** Says what to do with an image for which `isConvertible` is true, in the words of the server and the dashboard. */
export function convertHint(kind: FileKind): string {
  const camera = ' An iPhone takes photos as JPEG with Settings > Camera > Formats > Most Compatible.'
  return `This image is ${kind}. Save it as JPEG or PNG, then choose that file.${kind === 'HEIC' ? camera : ''}`
}

function latin1(bytes: Uint8Array): string {
  return String.fromCharCode(...bytes)
}
