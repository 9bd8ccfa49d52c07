import { AppError, fieldError } from '@proctorpass/shared/errors'
import type { TextFields } from '@proctorpass/shared/fields/page-texts'
import type { Text, TextState } from '@proctorpass/shared/schemas/text'
import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import { kindOfKey, questionIdIn, type TextKey, type TextKind } from '@proctorpass/shared/text-keys'
import type { PostCleaner } from '../content/clean-post.ts'
import { ENGLISH } from '../content/languages.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { TextRecord, TextSummaryRecord } from '../storage/model/texts.ts'
import type { Questions } from './questions.ts'
import { cleaned, completed, hashOf, jsonOf } from './text-fields.ts'

interface TextReaderDeps {
  storage: Storage
  shipped: ShippedTexts
  questions: Questions
  clean: PostCleaner
  /** Whether a language is switched on. */
  isOn: (lang: string) => Promise<boolean>
}

/** A text that exists, in one language. */
export interface Place {
  key: TextKey
  kind: TextKind
  lang: string
}

/** Reads texts: what was edited, and what ships otherwise. */
export function createTextReader({ storage, shipped, questions, clean, isOn }: TextReaderDeps) {
  const bases = new Map<TextKey, string>()

  async function placeOf(key: string, lang: string): Promise<Place> {
    const kind = kindOfKey(key)
    if (kind === null) throw notFound()
    const question = questionIdIn(key)
    if (question !== null && !(await questions.exists(question))) throw notFound()
    return { key: key as TextKey, kind, lang }
  }

  /** Undefined for a question that an admin added. */
  function shippedFields({ key, kind }: Pick<Place, 'key' | 'kind'>): TextFields | undefined {
    const fields = shipped.fields(key)
    return fields && (JSON.parse(jsonOf(kind, fields)) as TextFields)
  }

  /** Returns what tells a shipped text from that of another release. Null if nothing ships under the key. */
  function baseOf({ key, kind }: Pick<Place, 'key' | 'kind'>): string | null {
    const fields = shipped.fields(key)
    if (fields === undefined) return null
    const base = bases.get(key) ?? hashOf(kind, fields)
    bases.set(key, base)
    return base
  }

  /** An own text stays as it is when a release ships another one, and only says so. */
  function standing(row: TextSummaryRecord | null, place: Pick<Place, 'key' | 'kind'>) {
    const state: TextState = row?.own ? 'own' : 'shipped'
    const isEdited = row?.own === true && row.base !== null
    return {
      ...{ state, shippedChanged: isEdited && row.base !== baseOf(place) },
      updatedAt: row && isoOf(row.at),
    }
  }

  async function shown(place: Place, fields: string | null): Promise<TextFields> {
    const ships = shippedFields(place)
    // Nothing in a shipped text has to be sanitized.
    if (fields === null && ships !== undefined) return ships
    if (fields !== null) return cleaned(place.kind, completed(place.kind, fields, ships), clean)
    if (place.lang === ENGLISH) throw notFound()
    const english = await storage.texts.find(ENGLISH, place.key)
    return shown({ ...place, lang: ENGLISH }, english?.fields ?? null)
  }

  /** Returns what is read while `row` is stored. */
  async function answered(place: Place, row: TextRecord | null): Promise<Text> {
    const { key, lang } = place
    if (lang !== ENGLISH && !row?.own) return { ...(await read({ ...place, lang: ENGLISH })), version: 0 }
    const fields = await shown(place, row?.fields ?? null)
    return { key, lang, fields, version: row?.version ?? 0, ...standing(row, place) }
  }

  async function read(place: Place): Promise<Text> {
    return answered(place, await storage.texts.find(place.lang, place.key))
  }

  /** Returns the language in which texts are read: English if this one is not switched on. */
  async function shownLanguage(lang = ENGLISH): Promise<string> {
    return (await isOn(lang)) ? lang : ENGLISH
  }

  return {
    shownLanguage,
    shippedFields,
    baseOf,
    standing,
    answered,
    read,

    /** Returns a version's fields. Null stands for the shipped text, and for English in place of a translation. */
    shown,

    /**
     * Returns where a text is read: in English if the language is not switched on. Throws an AppError `not-found` for an
     * unknown key.
     */
    readPlace: async (key: string, lang?: string) => placeOf(key, await shownLanguage(lang)),

    /** Does what `readPlace` does, but throws an AppError `invalid-input` for a language that is not switched on. */
    async writtenPlace(key: string, lang = ENGLISH): Promise<Place> {
      const place = await placeOf(key, lang)
      if (!(await isOn(lang))) throw fieldError('lang', 'This language is not switched on in the settings')
      return place
    },
  }
}

export type TextReader = ReturnType<typeof createTextReader>

export const isoOf = (at: number) => new Date(at).toISOString()

const notFound = () => new AppError('not-found', 'Text not found.')
