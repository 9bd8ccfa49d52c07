import { uploadSrcSet } from '@proctorpass/shared/upload-src-set'

/** Returns `srcSet` and `sizes` for an `<img>`. `sizes` is valid only beside a `srcset`. */
export function uploadSources(url: string, sizes: string): { srcSet?: string; sizes?: string } {
  const srcSet = uploadSrcSet(url)
  return srcSet === undefined ? {} : { srcSet, sizes }
}
