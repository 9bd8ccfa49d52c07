/** The hash of an upload in its URL. All widths of an image share it, so a reference to one width refers to all. */
const UPLOAD = /\/uploads\/([0-9a-z]+)(?:-[0-9]+)?\.[a-z]+/g

/** The distinct hashes of the uploads that the texts refer to. */
export function uploadsIn(...texts: string[]): string[] {
  const hashes = texts.flatMap((text) => [...text.matchAll(UPLOAD)].map(([, hash = '']) => hash))
  return [...new Set(hashes)]
}
