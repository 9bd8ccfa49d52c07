import Type from 'typebox'
import { Positive } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A document that the store holds once. */
export interface StoredDocument<T> {
  /** Begins with 1 and increases by 1 with each change. */
  version: number
  value: T
}

/** `value` is JSON, because a field's name could contain a dot or a dollar sign. */
export interface DocumentRow {
  name: string
  version: number
  value: string
}

/** The most characters in a document's JSON. */
const DOCUMENT_MAX = 1_024 * 1_024

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

/** Opens the documents, such as the settings, by their names. Values are JSON. */
export function openDocuments(documents: Rows<DocumentRow>) {
  return {
    /** Returns null when the document was never written. */
    async read<T>(name: string): Promise<StoredDocument<T> | null> {
      const found = await documents.find({ name })
      return found === null ? null : { version: found.version, value: JSON.parse(found.value) as T }
    },
    /**
     * Stores the value under the next version, but only while `version` is stored (0 for none). The write itself
     * decides, so only one of two concurrent nodes succeeds. Returns false for the other.
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
