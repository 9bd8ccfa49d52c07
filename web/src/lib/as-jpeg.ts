/** The server stores images up to this size. */
const PIXELS_MAX = 9_000_000
const SIDE_MAX = 16_383
const QUALITY = 0.92

/**
 * Converts an image to JPEG, upright, on white, and with the image's name. Resolves with null if this browser cannot
 * read it.
 */
export async function asJpeg(file: File): Promise<File | null> {
  const image = await createImageBitmap(file).catch(() => null)
  if (image === null) return null
  const { width, height } = image
  const scale = Math.min(1, Math.sqrt(PIXELS_MAX / (width * height)), SIDE_MAX / Math.max(width, height))
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.floor(width * scale))
  canvas.height = Math.max(1, Math.floor(height * scale))
  const context = canvas.getContext('2d')
  if (context === null) return null
  context.fillStyle = '#fff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  image.close()
  const type = 'image/jpeg'
  const bytes = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, type, QUALITY))
  return bytes && new File([bytes], withExtension(file.name, 'jpg'), { type })
}

export function withExtension(name: string, extension: string): string {
  return `${name.replace(/\.[^.]{1,8}$/, '')}.${extension}`
}
