import { convertHint, FILE_START_BYTES, fileKindOf, isConvertible } from '@proctorpass/shared/file-kind'
import { UPLOAD_BYTES_MAX, UPLOAD_EXTENSIONS } from '@proctorpass/shared/limits'
import { asJpeg, withExtension } from '../../lib/as-jpeg.ts'

const MB = 1024 * 1024

export const IMAGE_ACCEPT = UPLOAD_EXTENSIONS.join(',')
export const IMAGE_HINT = `JPG, PNG, SVG, or WebP, up to ${UPLOAD_BYTES_MAX / MB} MB.`
const RASTERS = [
  ['PNG', ['png'], 'image/png'],
  ['JPEG', ['jpg', 'jpeg'], 'image/jpeg'],
  ['WebP', ['webp'], 'image/webp'],
] as const
export const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/svg+xml', 'image/webp']

/**
 * Returns a file as it is uploaded: named after its content, and converted to JPEG if only this browser can read the
 * image. Returns a text if it cannot be uploaded, which says why.
 */
export async function prepareImage(file: File): Promise<File | string> {
  const { name, size } = file
  if (size === 0) return `${name} is empty. Choose it again once it is on your device.`
  const start = await file
    .slice(0, FILE_START_BYTES)
    .arrayBuffer()
    .catch(() => null)
  if (start === null) return `${name} couldn't be read.`
  const kind = fileKindOf(new Uint8Array(start))
  if (kind !== null && isConvertible(kind)) {
    // A JPEG would hold only the first image of an animation.
    const jpeg = kind === 'GIF' ? null : await asJpeg(file)
    return jpeg ?? `${name} can't be uploaded. ${convertHint(kind)}`
  }
  const raster = RASTERS.find(([each]) => each === kind)
  if (
    raster === undefined &&
    !UPLOAD_EXTENSIONS.some((extension) => name.toLowerCase().endsWith(extension))
  ) {
    return `${name} isn't a JPG, PNG, SVG, or WebP image.`
  }
  if (size > UPLOAD_BYTES_MAX) {
    return `${name} is ${(size / MB).toFixed(1)} MB. The limit is ${UPLOAD_BYTES_MAX / MB} MB.`
  }
  if (raster === undefined) return file
  const [, extensions, type] = raster
  const isNamed = extensions.some((extension) => name.toLowerCase().endsWith(`.${extension}`))
  return isNamed && file.type === type ? file : new File([file], withExtension(name, extensions[0]), { type })
}

/** Returns a sentence that says what an SVG lost, or undefined if it lost nothing. */
export function cleanedNote(cleaned: readonly string[] | undefined): string | undefined {
  if (cleaned === undefined) return undefined
  const list = new Intl.ListFormat('en').format(cleaned)
  return `The SVG was cleaned and stored without ${list}. Check that it looks right.`
}

/** Reads the file as a data: URL for an `<img>`, because the Content-Security-Policy allows no blob: URLs. */
export function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => reject(reader.error))
    reader.readAsDataURL(file)
  })
}
