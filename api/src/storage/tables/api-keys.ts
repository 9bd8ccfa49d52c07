import { INTEGRATION_NAME_MAX } from '@proctorpass/shared/limits'
import { KeyScopeSchema } from '@proctorpass/shared/schemas/key'
import Type from 'typebox'
import type { ApiKeyRecord, ApiKeyRepository } from '../port/api-keys.ts'
import { Hash, Id, Time, TimeOrNull, text } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

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

export function openApiKeys(keys: Rows<ApiKeyRecord>): ApiKeyRepository {
  const list = () => keys.list({ deletedAt: null }, { order: { createdAt: -1 } })
  return {
    list,
    async create(key, max) {
      return (await list()).length < max && (await keys.insert(key))
    },
    findByHash: (hash) => keys.find({ hash, deletedAt: null }),
    nameOf: async (_id) => (await keys.find({ _id }))?.name ?? null,
    async setUsed(_id, lastUsedAt) {
      await keys.update({ _id }, { lastUsedAt })
    },
    remove: async (_id, deletedAt) =>
      (await keys.update({ _id, deletedAt: null }, { deletedAt })) === 'updated',
  }
}
