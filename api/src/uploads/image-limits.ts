import { wrongFile } from './wrong-file.ts'

export const PIXELS_MAX = 40_000_000
/** Color profiles take some KB, those of printers up to 1 MB. */
export const PROFILE_BYTES_MAX = 1024 * 1024
/** EXIF holds the orientation. A JPEG cannot hold more than this. */
export const EXIF_BYTES_MAX = 64 * 1024
/** An image of 10 MB in chunks of 8 KB has about 1,300. */
export const CHUNKS_MAX = 10_000

export function tooManyPixels() {
  return wrongFile('This picture is too large: at most 40 megapixels can be used.')
}

export function animated() {
  return wrongFile('Moving pictures cannot be used: please choose a still one.')
}

export function damaged(cause?: unknown) {
  return wrongFile('This picture is damaged or incomplete: it cannot be read.', cause)
}

export function tooLargeInSteps() {
  return wrongFile(
    'This picture is too large to be stored in steps: please save it without “progressive” or “interlaced”.',
  )
}
