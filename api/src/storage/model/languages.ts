import { LANGUAGE_FILE_BYTES_MAX, LANGUAGE_TAG_PATTERN } from '@proctorpass/shared/limits'
import Type from 'typebox'
import { Time } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A language file that an admin uploaded. */
export interface LanguageRecord {
  /** The language's canonical tag. */
  tag: string
  /** The file's JSON, because a key could contain a dot or a dollar sign. */
  file: string
  changedAt: number
}

export const LANGUAGES: PlainTable<LanguageRecord> = {
  name: 'languages',
  key: 'tag',
  fields: {
    tag: Type.String({ pattern: LANGUAGE_TAG_PATTERN }),
    file: Type.String({ maxLength: LANGUAGE_FILE_BYTES_MAX }),
    changedAt: Time,
  },
  indexes: {},
}

export function openLanguages(languages: Rows<LanguageRecord>) {
  return {
    /** Lists all uploaded files in the order of their tags by code units. */
    list: () => languages.list({ tag: { '>=': '' } }, { order: { tag: 1 } }),
    /** Stores a language's file, which replaces an earlier one. */
    async put({ tag, ...change }: LanguageRecord): Promise<void> {
      // Another call may insert or remove the row between the two writes.
      while ((await languages.update({ tag }, change)) === 'missing') {
        if (await languages.insert({ tag, ...change })) break
      }
    },
    /** Returns false when the language has no uploaded file. */
    remove: async (tag: string) => (await languages.remove({ tag })) === 1,
  }
}
