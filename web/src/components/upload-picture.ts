import { UPLOAD_WIDTHS } from '@proctorpass/shared/limits'

const RASTER = /^(\/uploads\/[0-9a-f]{40})\.(?:jpg|png|webp)$/

/**
 * The widths in which the server keeps an uploaded picture, as `srcset`; undefined for what is no upload or is drawn
 * to any size. A picture is never widened: one of 700 px is kept as 480, 700 and 700, which `width` tells.
 */
export function uploadSrcSet(url: string, width = Number.POSITIVE_INFINITY): string | undefined {
  const base = RASTER.exec(url)?.[1]
  if (!base) return undefined
  const enough = UPLOAD_WIDTHS.findIndex((each) => each >= width)
  const kept = UPLOAD_WIDTHS.slice(0, enough === -1 ? undefined : enough + 1)
  return kept.map((each) => `${base}-${each}.webp ${Math.min(each, width)}w`).join(', ')
}
