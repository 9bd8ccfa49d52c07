import { IMAGE_SIDE_MAX } from '@proctorpass/shared/limits'
import { WrongFile, wrongFile } from './wrong-file.ts'

/** The decoder holds four bytes for each pixel. */
export const LOSSLESS_WEBP_PIXELS_MAX = 30_000_000
/** Color profiles take some KB, and those of printers up to 1 MB. */
export const PROFILE_BYTES_MAX = 1024 * 1024
/** EXIF holds the orientation. A JPEG cannot hold more bytes of it than this. */
export const EXIF_BYTES_MAX = 64 * 1024
/** An image of 10 MB in chunks of 8 KB has about 1,300 chunks. */
export const CHUNKS_MAX = 10_000

export function tooManyPixels() {
  return new WrongFile('This image is too large: the limit is 40 megapixels.', { isTooLarge: true })
}

export function tooLong() {
  const limit = IMAGE_SIDE_MAX.toLocaleString('en')
  return new WrongFile(`This image is too long: the limit is ${limit} pixels per side.`, { isTooLarge: true })
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
  return wrongFile('This image is damaged or incomplete. Save it again, or take a screenshot of it.', cause)
}

export function tooLargeInSteps() {
  return new WrongFile(
    'This image is too large to be progressive or interlaced. Save it without that option.',
    { isTooLarge: true },
  )
}
