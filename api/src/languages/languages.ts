import { createHash } from 'node:crypto'
import { chooseLanguage } from '@proctorpass/shared/choose-language'
import { AppError, fieldError, fieldErrors } from '@proctorpass/shared/errors'
import { LANGUAGE_FILE_BYTES_MAX, LANGUAGES_MAX } from '@proctorpass/shared/limits'
import type {
  Language,
  LanguageFile,
  LanguageList,
  LanguageProblem,
  ShownLanguages,
} from '@proctorpass/shared/schemas/language'
import { auditEntry } from '../audit/entry.ts'
import type { AdminCaller } from '../auth/caller.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { Storage } from '../storage/model/storage.ts'
import { canonicalTag, checkTexts, isLanguageTag } from './check-texts.ts'
import { createLanguageFolder, type FolderState, fileNameOf, problemIn } from './language-folder.ts'
import { type KnownLanguage, mergeLanguages, wholeFile, widgetTexts } from './merge-languages.ts'
import { SHIPPED_REVISION, type Texts } from './shipped.ts'

/** How often DATA_DIR's language files are looked at. */
const LOOK_EVERY_MS = 2_000

interface LanguagesDeps {
  storage: Pick<Storage, 'languages'>
  /** The folder with this node's own `languages`. */
  dataDir: string
  /** Tells the other nodes about an upload. */
  contentRevision: { changed(): Promise<void>; subscribe(listener: () => void): void }
  /** Returns the tags that the settings switch on. */
  switchedOn: () => Promise<readonly string[]>
  now: () => number
}

/** Writes warnings for the operator. */
interface Log {
  warn(message: string): void
}

/** What a mail or a page needs in one language. */
export interface LanguageTexts {
  tag: string
  dir: 'ltr' | 'rtl'
  texts: Texts
}

/**
 * The languages that visitors are spoken to in: those of the release, those that admins uploaded, and the files in
 * DATA_DIR. Of each text, the last one of these that is valid is used.
 */
export function createLanguages({ storage, dataDir, contentRevision, switchedOn, now }: LanguagesDeps) {
  const listeners: (() => void)[] = []
  const lookAtFolder = createLanguageFolder(dataDir)
  let folder: FolderState = { texts: new Map(), problems: [] }
  let uploads: FolderState = { texts: new Map(), problems: [] }
  /** Tells whether the uploads have changed. Content changes far more often. */
  let readHash = ''
  let known: ReadonlyMap<string, KnownLanguage> = new Map()
  let problems: readonly LanguageProblem[] = []
  let revision = ''
  let log: Log | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false
  let changes = 0
  learn()

  function learn(): void {
    const merged = mergeLanguages(uploads.texts, folder.texts)
    const before = new Set(problems.map(({ message }) => message))
    problems = [...folder.problems, ...uploads.problems, ...merged.problems]
    for (const { message } of problems) if (!before.has(message)) log?.warn(message)
    known = merged.languages
    const content = JSON.stringify([SHIPPED_REVISION, [...uploads.texts], [...folder.texts]])
    const next = hashOf(content).slice(0, 12)
    if (next === revision) return
    revision = next
    for (const listener of listeners) listener()
  }

  async function readUploads(): Promise<void> {
    const before = changes
    const rows = await storage.languages.list()
    // A read that began before this node's change may lack the change.
    if (before !== changes) return
    const hash = hashOf(JSON.stringify(rows))
    if (hash === readHash) return
    readHash = hash
    const checked = rows.map(({ tag, file }) => ({ tag, ...checkTexts(tag, JSON.parse(file)) }))
    uploads = {
      texts: new Map(checked.map(({ tag, texts }) => [tag, texts])),
      // A newer release may know other keys and placeholders than the one that took the upload.
      problems: checked.flatMap(({ tag, problems }) =>
        problems.map((problem) => problemIn(`${fileNameOf(tag)} (uploaded)`, problem)),
      ),
    }
    learn()
  }

  async function look(): Promise<void> {
    const found = await lookAtFolder()
    if (found !== folder) {
      folder = found
      learn()
    }
    if (!isClosed) timer = setTimeout(look, LOOK_EVERY_MS).unref()
  }

  // While the store is away, the last known uploads are used. The change that could not be read is noticed with the next.
  contentRevision.subscribe(() => void readUploads().catch(() => {}))

  async function changed(): Promise<void> {
    changes += 1
    await readUploads()
    await contentRevision.changed()
  }

  function find(tag: string): KnownLanguage {
    const language = known.get(tag)
    if (language === undefined) throw new AppError('not-found', 'Language not found.')
    return language
  }

  async function shownTags(): Promise<string[]> {
    const on = await switchedOn()
    return [...known.keys()].filter((tag) => on.includes(tag))
  }

  return {
    /** Call this before the first request. Never rejects. */
    async start(ownLog: Log): Promise<void> {
      await readUploads().catch(() => {})
      log = ownLog
      for (const { message } of problems) log.warn(message)
      await look()
    },
    close(): void {
      isClosed = true
      clearTimeout(timer)
    },
    /** The listener is called when this node's words change. */
    onChanged(listener: () => void): void {
      listeners.push(listener)
    },

    isKnown: (tag: string): boolean => known.has(tag),

    async list(_admin: AdminCaller): Promise<LanguageList> {
      return { languages: [...known.values()].map(presented), problems: [...problems] }
    },

    /** Returns a language's whole file. Throws an AppError `not-found` for an unknown tag. */
    file: (_admin: AdminCaller, tag: string): Texts => wholeFile(find(tag)),

    /**
     * Stores an uploaded file instead of an earlier one. Throws an AppError `invalid-input` with a detail for each wrong
     * key, or for `tag`.
     */
    async upload(admin: AdminCaller, tag: string, file: LanguageFile): Promise<Language> {
      if (!isLanguageTag(tag)) throw fieldError('tag', 'Use a canonical language tag, such as pt-BR')
      if (!known.has(tag) && known.size >= LANGUAGES_MAX) {
        throw fieldError('tag', `There can be ${LANGUAGES_MAX} languages. Delete one first.`)
      }
      const json = JSON.stringify(file)
      if (Buffer.byteLength(json) > LANGUAGE_FILE_BYTES_MAX)
        throw fieldError('tag', 'The file is larger than 64 KB')
      const wrong = checkTexts(tag, file).problems
      if (wrong.length > 0) {
        throw fieldErrors(
          wrong.map(({ field, message }) => ({
            field,
            message: `${field === '' ? 'The file' : field} ${message}`,
          })),
        )
      }
      const entry = auditEntry(admin, 'language.uploaded', { target: tag })
      await withEntry(entry, () => storage.languages.put({ tag, file: json, changedAt: now() }))
      await changed()
      return presented(find(tag))
    },

    /** Deletes an uploaded file. Throws an AppError `not-found` if there is none. */
    async remove(admin: AdminCaller, tag: string): Promise<void> {
      const entry = auditEntry(admin, 'language.deleted', { target: tag })
      const isRemoved = isLanguageTag(tag) && (await withEntry(entry, () => storage.languages.remove(tag)))
      if (!isRemoved) throw new AppError('not-found', 'This language has no uploaded file.')
      await changed()
    },

    /** Returns what pages say about the languages that visitors can choose. Cheap enough for every request. */
    async shown(): Promise<ShownLanguages> {
      return {
        revision,
        tags: await shownTags(),
        ...(known.get('en')?.own === null ? {} : { ownEnglish: true as const }),
      }
    },

    /** Returns the widget's texts, and whether `revision` is theirs. Null for an unknown language. */
    widgetTexts(tag: string, asked: string | undefined): { texts: Texts; isCurrent: boolean } | null {
      const language = known.get(tag)
      return language === undefined ? null : { texts: widgetTexts(language), isCurrent: asked === revision }
    },

    /** Returns the texts in the language that suits a visitor's locale best, or else in English. */
    async textsFor(locale: string | null): Promise<LanguageTexts> {
      const tag = chooseLanguage(canonicalTag(locale ?? '') ?? '', await shownTags()) ?? 'en'
      const { dir, texts } = find(tag)
      return { tag, dir, texts }
    },
  }
}

export type Languages = ReturnType<typeof createLanguages>

const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url')

function presented({ tag, dir, isShipped, own, missing }: KnownLanguage): Language {
  const name = new Intl.DisplayNames(tag, { type: 'language' }).of(tag) ?? tag
  return { tag, name, dir, shipped: isShipped, own, missing }
}
