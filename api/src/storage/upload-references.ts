/**
 * What names an upload in an address: its hash. The widths of one picture share it, so that a text that shows any of
 * them keeps them all.
 */
const UPLOAD = /\/uploads\/([0-9a-z]+)(?:-[0-9]+)?\.[a-z]+/g

/** The hashes of all uploads that the texts refer to, each once. */
export function uploadsIn(...texts: string[]): string[] {
  const hashes = texts.flatMap((text) => [...text.matchAll(UPLOAD)].map(([, hash = '']) => hash))
  return [...new Set(hashes)]
}
