import { UPLOAD_BYTES_MAX, UPLOAD_EXTENSIONS } from '@proctorpass/shared/limits'

const MB = 1024 * 1024

export const IMAGE_ACCEPT = UPLOAD_EXTENSIONS.join(',')
export const IMAGE_HINT = `JPG, PNG, SVG, or WebP, up to ${UPLOAD_BYTES_MAX / MB} MB.`
export const IMAGE_TYPES = ['image/jpeg', 'image/png', 'image/svg+xml', 'image/webp']

/** Why a file cannot be uploaded as an image; null when it can. */
export function imageProblem({ name, size }: File): string | null {
  const lowerName = name.toLowerCase()
  if (!UPLOAD_EXTENSIONS.some((extension) => lowerName.endsWith(extension))) {
    return `${name} isn't a JPG, PNG, SVG, or WebP image.`
  }
  if (size > UPLOAD_BYTES_MAX) {
    return `${name} is ${(size / MB).toFixed(1)} MB; the limit is ${UPLOAD_BYTES_MAX / MB} MB.`
  }
  return null
}

/** The file as a data: URL for an `<img>`, because the Content-Security-Policy allows no blob: URLs. */
export function readAsDataUrl(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.addEventListener('load', () => resolve(String(reader.result)))
    reader.addEventListener('error', () => reject(reader.error))
    reader.readAsDataURL(file)
  })
}
