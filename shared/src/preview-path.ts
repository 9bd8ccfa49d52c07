/** The page of a preview link, up to its token. */
export const PREVIEW_PAGE = '/blog/preview/'

/** The REST path that reads a post with the token of its preview link. It is not in `paths`, which the chat loads. */
export function previewPath(token: string): string {
  return `/blogs/preview/${encodeURIComponent(token)}`
}
