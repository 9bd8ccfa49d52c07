import { UPLOAD_WIDTHS } from './limits.ts'

const RASTER = /^(\/uploads\/[0-9a-f]{40})\.(?:jpg|png|webp)$/

/**
 * Returns the widths in which the server stores an uploaded image as a `srcset`, or undefined for SVG and for other
 * images. The server never enlarges: it stores an image with `width` 700 as 480, 700, and 700.
 */
export function uploadSrcSet(url: string, width = Number.POSITIVE_INFINITY): string | undefined {
  const base = RASTER.exec(url)?.[1]
  if (!base) return undefined
  const enough = UPLOAD_WIDTHS.findIndex((each) => each >= width)
  const widths = UPLOAD_WIDTHS.slice(0, enough === -1 ? undefined : enough + 1)
  return widths.map((each) => `${base}-${each}.webp ${Math.min(each, width)}w`).join(', ')
}

/** Adds `srcset` and `sizes` to the uploaded images in cleaned HTML whose width is known. */
export function withWidths(html: string): string {
  return html.replace(/<img src="([^"]+)" width="(\d+)"/g, (img, src: string, width: string) => {
    const srcSet = uploadSrcSet(src, Number(width))
    return srcSet ? `${img} srcset="${srcSet}" sizes="min(${width}px, 100vw, 40em)"` : img
  })
}
