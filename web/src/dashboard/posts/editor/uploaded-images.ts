/** An image that was put into the text before it is uploaded: the text names it, and later shows its address. */
export interface UploadedImage {
  /** The name of its file. */
  name: string
  /** Null until it is stored. */
  url: string | null
}

const PREFIX = 'upload:'
const images = new Map<string, UploadedImage>()

/** A new value of an image of the text. */
export function newUploadedImage(name: string): string {
  const value = `${PREFIX}${images.size + 1}`
  images.set(value, { name, url: null })
  return value
}

/** Undefined for images that are no uploads of this page. */
export function uploadedImage(value: string): UploadedImage | undefined {
  return images.get(value)
}

/** The address of an image of the text; null until it is uploaded. */
export function imageAddress(value: string): string | null {
  return value.startsWith(PREFIX) ? (images.get(value)?.url ?? null) : value
}
