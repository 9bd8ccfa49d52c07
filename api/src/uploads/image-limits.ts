import { WrongFile, wrongFile } from './wrong-file.ts'

export const PIXELS_MAX = 40_000_000
/** The decoder holds four bytes for each pixel. */
export const LOSSLESS_WEBP_PIXELS_MAX = 30_000_000
/** Color profiles take some KB, those of printers up to 1 MB. */
export const PROFILE_BYTES_MAX = 1024 * 1024
/** EXIF holds the orientation. A JPEG cannot hold more than this. */
export const EXIF_BYTES_MAX = 64 * 1024
/** An image of 10 MB in chunks of 8 KB has about 1,300. */
export const CHUNKS_MAX = 10_000

export function tooManyPixels() {
  return new WrongFile('This image is too large: the limit is 40 megapixels.', { isTooLarge: true })
}

export function tooLargeLossless() {
  return new WrongFile('This image is too large: the limit of lossless WebP is 30 megapixels.', {
    isTooLarge: true,
  })
}

export function animated() {
  return wrongFile("Animated images aren't supported. Choose a still image.")
}

export function damaged(cause?: unknown) {
  return wrongFile('This image is damaged or incomplete.', cause)
}

export function tooLargeInSteps() {
  return new WrongFile(
    'This image is too large to be progressive or interlaced. Save it without that option.',
    { isTooLarge: true },
  )
}
