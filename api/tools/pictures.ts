import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'

const ROOT = new URL('../../', import.meta.url)
/** Says which sources the documents' pictures show. `npm run screenshots` writes it beside them. */
const RECORD = new URL('docs/pictures.json', ROOT)

/** What the documents' pictures show on each of them, and what makes them. */
const SOURCES = [
  'web/measure/pictures/document-pictures.ts',
  'web/measure/sample-conversations.ts',
  'web/src/dashboard/menu.ts',
  'web/src/styles/tokens.css',
]

/** Returns each source's hash, by its path. */
export function hashesOf(sources: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(sources).map(([path, text]) => [path, createHash('sha256').update(text).digest('hex')]),
  )
}

/** Returns a finding for each source that changed after the pictures were taken. */
export function outdatedPictures(
  sources: Readonly<Record<string, string>>,
  recorded: Readonly<Record<string, string>>,
): string[] {
  return Object.entries(hashesOf(sources))
    .filter(([path, hash]) => recorded[path] !== hash)
    .map(
      ([path]) =>
        `${path} is newer than the pictures in docs. Run \`npm run screenshots\`, and look at what changed.`,
    )
}

/** Records the present sources. Call it after all pictures were taken. */
export function recordPictures(): void {
  writeFileSync(RECORD, `${JSON.stringify(hashesOf(readSources()), null, 2)}\n`)
}

/** Returns the findings of `npm run check`. */
export function outdatedDocumentPictures(): string[] {
  return outdatedPictures(readSources(), JSON.parse(readFileSync(RECORD, 'utf8')))
}

const readSources = () =>
  Object.fromEntries(SOURCES.map((path) => [path, readFileSync(new URL(path, ROOT), 'utf8')]))
