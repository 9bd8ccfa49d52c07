import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { API_DIR } from '../installation.ts'

/** A text, or its forms by plural category. */
export type Text = string | Readonly<Record<string, string>>
/** A language's texts by key. */
export type Texts = Readonly<Record<string, Text>>

/** The release file has this folder too. */
const FOLDER = join(API_DIR, '../shared/languages')

/**
 * The files that the release ships, by tag. They are read at the start, because a release can be replaced while it runs,
 * and each is parsed when it is needed, because texts take several times the memory of their file.
 */
const FILES: ReadonlyMap<string, Buffer> = new Map(
  readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => [name.slice(0, -'.json'.length), readFileSync(join(FOLDER, name))]),
)

/** The tags of the languages that the release ships. */
export const SHIPPED_TAGS: readonly string[] = [...FILES.keys()]

/** Tells the shipped texts of this release from those of another one. */
export const SHIPPED_REVISION: string = createHash('sha256')
  .update(Buffer.concat([...FILES.values()]))
  .digest('base64url')

/** Parses a shipped language. Undefined if the release ships none with this tag. */
export function shippedTexts(tag: string): Texts | undefined {
  const file = FILES.get(tag)
  return file && (JSON.parse(file.toString()) as Texts)
}

/** The texts that decide which keys there are, and which places each text has. */
export const ENGLISH: Texts = shippedTexts('en') ?? {}
