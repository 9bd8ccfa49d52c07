import { HoursSchema } from '@proctorpass/shared/schemas/settings'
import Type, { type TSchema } from 'typebox'
import { OrNull, Positive, Time } from './bounds.ts'
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

const Placed = Type.Object({ _id: Type.String(), group: Type.String() })
const Hours = OrNull(HoursSchema)
const Secret = Type.String({ minLength: 1 })

/**
 * What the documents hold, as far as they are used as they are read. Later releases may add fields and documents.
 */
export const DOCUMENT_VALUES: Readonly<Record<string, TSchema>> = {
  'address-key': Secret,
  'import-key': Secret,
  faq: Type.Object({ items: OrNull(Type.Array(Placed)), own: Type.Array(Placed) }),
  inbound: Type.Object({
    place: OrNull(Type.Object({ uidValidity: Type.String(), uid: Type.Integer() })),
    node: Type.String(),
    until: Type.Number(),
  }),
  settings: Type.Object({
    hours: Type.Optional(Hours),
    hoursHistory: Type.Optional(Type.Array(Type.Object({ since: Time, hours: Hours }))),
  }),
  vapid: Type.Object({ publicKey: Secret, privateKey: Secret }),
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
