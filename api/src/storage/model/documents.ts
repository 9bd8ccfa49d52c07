import Type from 'typebox'
import { Positive } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A document of which the store has one. */
export interface StoredDocument<T> {
  /** 1 when created, one more with each change. */
  version: number
  value: T
}

/** `value` is JSON: a name of a field could hold a dot or a dollar sign. */
export interface DocumentRow {
  name: string
  version: number
  value: string
}

/** Characters of the JSON of a document. */
const DOCUMENT_MAX = 256 * 1_024

export const DOCUMENTS: PlainTable<DocumentRow> = {
  name: 'documents',
  key: 'name',
  fields: {
    name: Type.String({ pattern: '^[a-z-]{1,64}$' }),
    version: Positive,
    value: Type.String({ maxLength: DOCUMENT_MAX }),
  },
  indexes: {},
}

/** Documents by name, such as the settings. Values are JSON. */
export function openDocuments(documents: Rows<DocumentRow>) {
  return {
    /** Null when it was never written. */
    async read<T>(name: string): Promise<StoredDocument<T> | null> {
      const found = await documents.find({ name })
      return found === null ? null : { version: found.version, value: JSON.parse(found.value) as T }
    },
    /**
     * Stores the value under the next version, only while `version` is stored (0: none), judged by the write itself: of
     * two nodes that write at once, one succeeds. False otherwise.
     */
    async write<T>(name: string, value: T, version: number): Promise<boolean> {
      const json = JSON.stringify(value)
      if (version === 0) return documents.insert({ name, version: 1, value: json })
      const outcome = await documents.update({ name, version }, { value: json, version: version + 1 })
      return outcome === 'updated'
    },
  }
}

export type DocumentRepository = ReturnType<typeof openDocuments>
