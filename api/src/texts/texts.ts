import { AppError, changedMeanwhile } from '@proctorpass/shared/errors'
import type { Text, TextChange, TextList, TextVersion, VersionList } from '@proctorpass/shared/schemas/text'
import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import { kindOfKey, questionIdIn, questionKey } from '@proctorpass/shared/text-keys'
import { auditEntry } from '../audit/entry.ts'
import type { AdminCaller } from '../auth/caller.ts'
import type { ContentRevision } from '../content/content-revision.ts'
import { ENGLISH } from '../content/languages.ts'
import { versionNumber, versionsOf } from '../content/version-list.ts'
import { writersOf } from '../content/writers.ts'
import { withEntry } from '../storage/model/audit.ts'
import type { Storage } from '../storage/model/storage.ts'
import { type TextRecord, textId, textIdParts } from '../storage/model/texts.ts'
import type { Version } from '../storage/model/versions.ts'
import type { Uploads } from '../uploads/uploads.ts'
import type { Questions } from './questions.ts'
import type { TextChecks } from './text-checks.ts'
import { completed, jsonOf } from './text-fields.ts'
import { isoOf, type Place, type TextReader } from './text-reader.ts'

export interface TextsDeps {
  storage: Storage
  shipped: ShippedTexts
  questions: Questions
  reader: TextReader
  checks: TextChecks
  uploads: Pick<Uploads, 'release'>
  contentRevision: Pick<ContentRevision, 'changed'>
  now: () => number
}

/** A text in the store, in one language. */
export interface WrittenText extends Pick<Place, 'key' | 'lang'> {
  /** False if it is shipped again. */
  own: boolean
  /** The time of the last edit in ISO 8601. */
  updatedAt: string
}

/**
 * The use cases for texts. Everyone reads them; admins write them. All throw an AppError `not-found` for an unknown key,
 * and those that write also `invalid-input` for a language that is not switched on.
 */
export function createTexts(deps: TextsDeps) {
  const { storage, reader, checks, uploads, contentRevision, now } = deps
  const { read, readPlace, shippedFields, writtenPlace } = reader

  /** Returns what is stored, if `version` is its version. A translation that is gone also has version 0. */
  async function expected({ key, lang }: Place, version: number): Promise<TextRecord | null> {
    const row = await storage.texts.find(lang, key)
    const isGone = lang !== ENGLISH && row?.own === false && version === 0
    if (version !== (row?.version ?? 0) && !isGone) throw changedMeanwhile('this text')
    return row
  }

  /** Stores the next version: these fields, or with null, the text as it is shipped. */
  async function store(
    admin: AdminCaller,
    place: Place,
    before: TextRecord | null,
    fields: string | null,
  ): Promise<Text> {
    const { key, lang } = place
    const subject = `text ${textId(lang, key)}` as const
    const version = (before?.version ?? 0) + 1
    if (before !== null) await storage.versions.keep(subject, versionOf(before))
    if (fields !== null) await storage.versions.show(subject, version, fields)
    const row: TextRecord = {
      ...{ _id: textId(lang, key), version, at: Math.max(now(), before?.at ?? 0), by: admin.userId },
      ...{ own: fields !== null, base: fields === null ? null : reader.baseOf(place), fields },
    }
    const write = () => storage.texts.write(row)
    const named = { lang, ...nameIn(before) }
    const entry = auditEntry(admin, 'text.reset', { target: key, details: named })
    const stored = await (fields === null ? withEntry(entry, write) : write())
    if (!stored) throw changedMeanwhile('this text')
    await contentRevision.changed()
    // The change is stored. If this fails, the next change removes what is too old.
    await storage.versions
      .trim(subject, version)
      .then(uploads.release)
      .catch(() => {})
    return reader.answered(place, row)
  }

  async function reset(admin: AdminCaller, place: Place, before: TextRecord | null): Promise<Text> {
    if (place.lang === ENGLISH && shippedFields(place) === undefined) throw nothingShips()
    return before?.own ? store(admin, place, before, null) : read(place)
  }

  /** Throws an AppError `not-found` for a version that is not kept. */
  async function versionAt(place: Place, sent: string): Promise<Version> {
    const n = versionNumber(sent)
    if (n === 0 && shippedFields(place) !== undefined) return { n, at: 0, by: null, fields: null }
    const row = n ? await storage.texts.find(place.lang, place.key) : null
    if (!n || row === null || n > row.version) throw versionNotFound()
    if (n === row.version) return versionOf(row)
    const found = await storage.versions.find(`text ${row._id}`, n)
    if (found === null) throw versionNotFound()
    return found
  }

  return {
    /** Returns the language in which texts are read: English if this one is not switched on. */
    shownLanguage: reader.shownLanguage,

    read: async (key: string, lang?: string) => read(await readPlace(key, lang)),

    list: (_admin: AdminCaller) => listTexts(deps),

    /** Lists what is stored, without the questions that are not in the FAQ. */
    async written(): Promise<WrittenText[]> {
      const [rows, { items }] = await Promise.all([storage.texts.list(), deps.questions.read()])
      const isShown = (id: string | null) => id === null || items.some(({ _id }) => _id === id)
      return rows
        .map(({ _id, own, at }) => ({ ...textIdParts(_id), ...{ own, updatedAt: isoOf(at) } }))
        .filter(({ key }) => isShown(questionIdIn(key)))
    },

    /**
     * Stores all fields of a text. Throws an AppError `invalid-input` with a detail for each wrong field, `too-large`, and
     * `conflict` if another version is stored. Fields that change nothing keep the version.
     */
    async write(
      admin: AdminCaller,
      key: string,
      { fields: sent, version }: TextChange,
      lang?: string,
    ): Promise<Text> {
      const place = await writtenPlace(key, lang)
      const before = await expected(place, version)
      const fields = await checks.checked(place, sent)
      const ships = shippedFields(place)
      if (before?.own) {
        const stored = completed(place.kind, before.fields ?? '{}', ships)
        if (jsonOf(place.kind, stored) !== fields) return store(admin, place, before, fields)
        // The admin keeps the own text, although the shipped one has changed.
        await storage.texts.rebase(before, reader.baseOf(place))
        return read(place)
      }
      const isSame = place.lang === ENGLISH && ships !== undefined && jsonOf(place.kind, ships) === fields
      return isSame ? read(place) : store(admin, place, before, fields)
    },

    /** Lets a text follow releases again, or removes a translation. Throws an AppError `conflict` as `write` does. */
    async reset(admin: AdminCaller, key: string, version: number, lang?: string): Promise<Text> {
      const place = await writtenPlace(key, lang)
      return reset(admin, place, await expected(place, version))
    },

    async versions(_admin: AdminCaller, key: string, lang?: string): Promise<VersionList> {
      const place = await readPlace(key, lang)
      const row = await storage.texts.find(place.lang, place.key)
      return row === null ? { versions: [] } : versionsOf(storage, `text ${row._id}`, versionOf(row))
    },

    /** Throws an AppError `not-found` also for a version that is not kept. Version 0 is what ships now. */
    async version(_admin: AdminCaller, key: string, sent: string, lang?: string): Promise<TextVersion> {
      const place = await readPlace(key, lang)
      const { n, at, by, fields } = await versionAt(place, sent)
      const [writer = null] = await writersOf([by], storage)
      return { n, at: n === 0 ? null : isoOf(at), by: writer, fields: await reader.shown(place, fields) }
    },

    /** Stores an earlier version as the next one. Throws as `write` does, and `not-found` as `version` does. */
    async restore(
      admin: AdminCaller,
      key: string,
      n: string,
      { version, lang }: { version: number; lang?: string | undefined },
    ): Promise<Text> {
      const place = await writtenPlace(key, lang)
      const { fields } = await versionAt(place, n)
      const before = await expected(place, version)
      if (fields === null) return reset(admin, place, before)
      const whole = completed(place.kind, fields, shippedFields(place))
      return store(admin, place, before, await checks.checked(place, whole))
    },
  }
}

export type Texts = ReturnType<typeof createTexts>

/** Lists every text in English, and in other languages where it is written. */
async function listTexts({ storage, shipped, questions, reader }: TextsDeps): Promise<TextList> {
  const { items } = await questions.read()
  const pages = shipped.keys.filter((key) => questionIdIn(key) === null)
  const keys = [...pages, ...items.map(({ _id }) => questionKey(_id))]
  const rows = new Map((await storage.texts.list()).map((row) => [row._id, row]))
  const places = keys.map((key) => ({ key, lang: ENGLISH }))
  for (const [_id, { own }] of rows) {
    const { key, lang } = textIdParts(_id)
    if (own && lang !== ENGLISH && keys.includes(key)) places.push({ key, lang })
  }
  const found = places.map(({ key, lang }) => rows.get(textId(lang, key)) ?? null)
  const authors = found.map((row) => row?.by ?? null)
  const writers = await writersOf(authors, storage)
  const texts = places.map(({ key, lang }, index) => {
    const row = found[index] ?? null
    const place = { key, kind: kindOfKey(key) ?? 'question' }
    return {
      ...{ key, lang, version: row?.version ?? 0, by: writers[index] ?? null },
      ...reader.standing(row, place),
    }
  })
  return { texts, count: texts.length }
}

/** Returns the words that name an article or a question. */
function nameIn(row: TextRecord | null): { name?: string } {
  const { h1, question } = JSON.parse(row?.fields ?? '{}') as { h1?: string; question?: string }
  const name = h1 ?? question
  return name === undefined ? {} : { name }
}

const versionOf = ({ version, at, by, fields }: TextRecord): Version => ({ n: version, at, by, fields })

const versionNotFound = () => new AppError('not-found', 'This version is not kept.')

const nothingShips = () =>
  new AppError(
    'invalid-input',
    'You added this question, so no shipped text stands behind it. Delete it instead.',
  )
