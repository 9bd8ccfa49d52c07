import { BLOG_CONTENT_BYTES_MAX } from '@proctorpass/shared/limits'
import type { TextKey } from '@proctorpass/shared/text-keys'
import Type from 'typebox'
import { Author, OrNull, Positive, Time } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A text in one language that was edited. Texts as they are shipped have no row. */
export interface TextRecord {
  /** The language and the key, see `textId`. */
  _id: string
  /** Begins with 1 and increases by 1 with each change. */
  version: number
  /** The time of the change, and the admin or API key that made it. */
  at: number
  by: string | null
  /** Whether the text has its own fields. If not, it is shipped again, or a translation that is gone. */
  own: boolean
  /** The hash of the shipped text when this version was stored. Null if nothing ships under the key. */
  base: string | null
  /** The fields as JSON. Null unless `own`. */
  fields: string | null
}

export type TextSummaryRecord = Omit<TextRecord, 'fields'>

const LANG = '[A-Za-z0-9-]{2,35}'
const KEY = '[a-z]{1,16}(:[a-z0-9-]{1,120})?'

/** The most characters in the fields' JSON. Sanitizing and JSON can make HTML eight times as long. */
export const FIELDS_MAX = 8 * BLOG_CONTENT_BYTES_MAX

export const TEXTS: PlainTable<TextRecord> = {
  name: 'texts',
  key: '_id',
  fields: {
    _id: Type.String({ pattern: `^${LANG} ${KEY}$` }),
    version: Positive,
    at: Time,
    by: OrNull(Author),
    own: Type.Boolean(),
    base: OrNull(Type.String({ pattern: '^[A-Za-z0-9_-]{1,64}$' })),
    fields: OrNull(Type.String({ maxLength: FIELDS_MAX })),
  },
  indexes: {},
}

const SUMMARY = ['_id', 'version', 'at', 'by', 'own', 'base'] as const

export const textId = (lang: string, key: TextKey): string => `${lang} ${key}`

/** Reverses `textId`. */
export function textIdParts(_id: string): { lang: string; key: TextKey } {
  const at = _id.indexOf(' ')
  return { lang: _id.slice(0, at), key: _id.slice(at + 1) as TextKey }
}

export function openTexts(texts: Rows<TextRecord>) {
  return {
    /**
     * Lists all texts that were ever edited, in the order of their languages and keys, without their fields. The condition
     * matches all, so that the index is read.
     */
    list: (): Promise<TextSummaryRecord[]> =>
      texts.list({ _id: { '>=': '' } }, { order: { _id: 1 }, only: SUMMARY }),

    /** Lists the questions in a language that were ever edited, with their fields. */
    questions: (lang: string) =>
      texts.list({ _id: { '>=': `${lang} faq:`, '<': `${lang} faq;` } }, { order: { _id: 1 } }),

    find: (lang: string, key: TextKey) => texts.find({ _id: textId(lang, key) }),

    /**
     * Stores the next version, but only while the version before it is stored. The write itself decides, so only one of
     * two concurrent changes succeeds. Returns false for the other.
     */
    async write({ _id, ...text }: TextRecord): Promise<boolean> {
      if (text.version === 1) return texts.insert({ _id, ...text })
      return (await texts.update({ _id, version: text.version - 1 }, text)) === 'updated'
    },

    /** Stores from which shipped text a version now differs, which is no change to the text. */
    async rebase({ _id, version }: Pick<TextRecord, '_id' | 'version'>, base: string | null): Promise<void> {
      await texts.update({ _id, version }, { base })
    },

    /** Removes a text, so that its versions begin again. */
    async remove(lang: string, key: TextKey): Promise<void> {
      await texts.remove({ _id: textId(lang, key) })
    },
  }
}
