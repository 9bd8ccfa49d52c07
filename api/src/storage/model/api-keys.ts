import { INTEGRATION_NAME_MAX } from '@proctorpass/shared/limits'
import { type KeyScope, KeyScopeSchema } from '@proctorpass/shared/schemas/key'
import Type from 'typebox'
import { Hash, Id, Time, TimeOrNull, text } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/**
 * A key that programs send. A deleted key stays, because its name is still shown. Times are milliseconds since 1970
 * UTC.
 */
export interface ApiKeyRecord {
  _id: string
  name: string
  /** The key's SHA-256 hash in base64url. */
  hash: string
  /** The key's first characters. */
  prefix: string
  scopes: readonly KeyScope[]
  createdAt: number
  /** The creator's user ID. */
  createdBy: string
  expiresAt: number | null
  lastUsedAt: number | null
  deletedAt: number | null
}

export const API_KEYS: PlainTable<ApiKeyRecord> = {
  name: 'apiKeys',
  key: '_id',
  fields: {
    _id: Id,
    name: text(INTEGRATION_NAME_MAX, 1),
    hash: Hash,
    prefix: text(16, 1),
    scopes: Type.Array(KeyScopeSchema, { minItems: 1, maxItems: 3 }),
    createdAt: Time,
    createdBy: Id,
    expiresAt: TimeOrNull,
    lastUsedAt: TimeOrNull,
    deletedAt: TimeOrNull,
  },
  indexes: {
    hash: { by: { hash: 1 }, unique: true },
    living: { by: { deletedAt: 1, createdAt: -1 } },
  },
}

export function openApiKeys(keys: Rows<ApiKeyRecord>) {
  const list = () => keys.list({ deletedAt: null }, { order: { createdAt: -1 } })
  return {
    /** Lists the keys that are not deleted, the newest first. */
    list,
    /**
     * Creates a key. Returns false when there are `max` keys. Of two keys that are created at once, both may be stored.
     */
    async create(key: ApiKeyRecord, max: number): Promise<boolean> {
      return (await list()).length < max && (await keys.insert(key))
    },
    /** Returns null for an unknown hash or a deleted key. */
    findByHash: (hash: string) => keys.find({ hash, deletedAt: null }),
    /** Returns a key's name, even if the key is deleted. Returns null for an unknown key. */
    nameOf: async (_id: string) => (await keys.find({ _id }))?.name ?? null,
    async setUsed(_id: string, lastUsedAt: number): Promise<void> {
      await keys.update({ _id }, { lastUsedAt })
    },
    /** Deletes a key permanently. Returns false when no key has this ID. */
    remove: async (_id: string, deletedAt: number) =>
      (await keys.update({ _id, deletedAt: null }, { deletedAt })) === 'updated',
  }
}
