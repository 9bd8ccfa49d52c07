/** An image that is in the text before it is uploaded. The text first names it, and later shows its address. */
export interface UploadedImage {
  /** The file's name. */
  name: string
  /** Null until the image is stored. */
  url: string | null
}

const PREFIX = 'upload:'
const images = new Map<string, UploadedImage>()

/** Returns a new value for an image in the text. */
export function newUploadedImage(name: string): string {
  const value = `${PREFIX}${images.size + 1}`
  images.set(value, { name, url: null })
  return value
}

/** Returns undefined for images that this page did not upload. */
export function uploadedImage(value: string): UploadedImage | undefined {
  return images.get(value)
}

/** Returns an image's address. Null until it is uploaded. */
export function imageAddress(value: string): string | null {
  return value.startsWith(PREFIX) ? (images.get(value)?.url ?? null) : value
}
