import { constants } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { LANGUAGE_FILE_BYTES_MAX } from '@proctorpass/shared/limits'
import type { LanguageProblem } from '@proctorpass/shared/schemas/language'
import { canonicalTag, checkTexts, isLanguageTag } from './check-texts.ts'
import type { Texts } from './shipped.ts'

const FOLDER = 'languages'
const JSON_NAME = /^(.+)\.json$/i
/** The folder is not meant for more, and each of them would be checked. */
const NAMES_MAX = 200

/** What a file says, or why it is ignored. */
interface ReadFile {
  tag: string
  /** Identifies the content by its times and size, without reading it. */
  state: string
  texts: Texts | null
  problems: LanguageProblem[]
}

/** What the folder says. */
export interface FolderState {
  texts: ReadonlyMap<string, Texts>
  problems: readonly LanguageProblem[]
}

/** Names a language's file in sentences for the operator. */
export const fileNameOf = (tag: string) => `${FOLDER}/${tag}.json`

/** Puts the file's name before what is wrong with it, or with one of its keys. */
export function problemIn(
  file: string,
  { field, message }: { field: string; message: string },
): LanguageProblem {
  return { file, message: field === '' ? `${file}: the file ${message}` : `${file}: ${field} ${message}` }
}

/**
 * Reads DATA_DIR's language files again and again. Each call of the returned function looks at all of them and reads
 * those that changed. It answers the same state while nothing changes, and never rejects: a file that cannot be used is
 * a problem.
 */
export function createLanguageFolder(dataDir: string): () => Promise<FolderState> {
  const folder = join(dataDir, FOLDER)
  let known = new Map<string, ReadFile>()
  let state: FolderState = { texts: new Map(), problems: [] }

  return async () => {
    const problems: LanguageProblem[] = []
    const found = new Map<string, ReadFile>()
    for (const name of await namesIn(folder, problems)) {
      const [, tag = ''] = JSON_NAME.exec(name) ?? []
      const read = await readLanguage(folder, name, tag, known.get(name))
      found.set(name, read)
      problems.push(...read.problems)
    }
    const isSame =
      found.size === known.size && [...found].every(([name, { texts }]) => known.get(name)?.texts === texts)
    known = found
    if (isSame && JSON.stringify(problems) === JSON.stringify(state.problems)) return state
    const texts = [...found.values()].flatMap(({ tag, texts }) =>
      texts === null ? [] : [[tag, texts] as const],
    )
    state = { texts: new Map(texts), problems }
    return state
  }
}

async function namesIn(folder: string, problems: LanguageProblem[]): Promise<string[]> {
  try {
    const names = (await readdir(folder)).filter((name) => JSON_NAME.test(name)).sort()
    return names.slice(0, NAMES_MAX)
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') problems.push({ file: FOLDER, message: `${FOLDER} ${unreadable(error)}` })
    return []
  }
}

async function readLanguage(folder: string, name: string, tag: string, before?: ReadFile): Promise<ReadFile> {
  const file = `${FOLDER}/${name.replace(/[^\w.-]/g, '?').slice(0, 80)}`
  const ignored = (message: string, state = ''): ReadFile => {
    return { tag, state, texts: null, problems: [problemIn(file, { field: '', message })] }
  }
  if (!isLanguageTag(tag) || !name.endsWith('.json')) {
    const canonical = canonicalTag(tag)
    const advice =
      canonical !== null && isLanguageTag(canonical) ? `, such as ${canonical}.json` : ', such as pt-BR.json'
    return ignored(`must be named by a canonical language tag${advice}.`)
  }
  try {
    const path = join(folder, name)
    const found = await stat(path)
    // Opening a pipe would wait for its writer.
    if (!found.isFile()) return ignored('must be a regular file.')
    const state = `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`
    if (before?.state === state) return before
    if (found.size > LANGUAGE_FILE_BYTES_MAX) return ignored('is larger than 64 KB.', state)
    const bytes = await readAtMost(path, LANGUAGE_FILE_BYTES_MAX + 1)
    if (bytes.length > LANGUAGE_FILE_BYTES_MAX) return ignored('is larger than 64 KB.')
    const content = parsed(bytes)
    if (content === undefined) return ignored('is not valid JSON in UTF-8.', state)
    const { texts, problems } = checkTexts(tag, content)
    return { tag, state, texts, problems: problems.map((problem) => problemIn(file, problem)) }
  } catch (error) {
    return ignored(unreadable(error))
  }
}

async function readAtMost(path: string, max: number): Promise<Buffer> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const buffer = Buffer.alloc(max)
    let length = 0
    while (length < max) {
      const { bytesRead } = await handle.read(buffer, length, max - length, length)
      if (bytesRead === 0) break
      length += bytesRead
    }
    return buffer.subarray(0, length)
  } finally {
    await handle.close()
  }
}

/** Returns undefined if the bytes are not JSON. The parser's own message would quote the file. */
function parsed(bytes: Buffer): unknown {
  try {
    // The decoder removes the mark with which some editors begin a file.
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return undefined
  }
}

const codeOf = (error: unknown) => String((error as NodeJS.ErrnoException | null)?.code ?? 'unknown error')
const unreadable = (error: unknown) => `cannot be read (${codeOf(error)}).`
