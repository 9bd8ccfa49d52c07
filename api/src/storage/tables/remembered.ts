import type {
  IdentityRecord,
  IdentityRepository,
  RememberedRecord,
  RememberedRepository,
} from '../port/remembered.ts'
import { ClientId, Hash, Time, Token } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

export const REMEMBERED: PlainTable<RememberedRecord> = {
  name: 'remembered',
  key: 'hash',
  fields: { hash: Hash, siteId: ClientId, clientId: ClientId, epoch: Token, expiresAt: Time },
  indexes: { client: { by: { clientId: 1 } }, expiry: { by: { expiresAt: 1 } } },
}

export function openRemembered(remembered: Rows<RememberedRecord>): RememberedRepository {
  return {
    async add(row, now) {
      await Promise.all([remembered.remove({ expiresAt: { '<=': now } }), remembered.insert(row)])
    },
    extend: async ({ expiresAt, ...named }) => (await remembered.update(named, { expiresAt })) === 'updated',
    find: (hash, siteId, now) => remembered.find({ hash, siteId, expiresAt: { '>': now } }),
    async remove(hash) {
      await remembered.remove({ hash })
    },
  }
}

export const IDENTITIES: PlainTable<IdentityRecord> = {
  name: 'identities',
  key: '_id',
  fields: { _id: Hash, siteId: ClientId, clientId: ClientId },
  indexes: { client: { by: { clientId: 1 }, unique: true } },
}

export function openIdentities(identities: Rows<IdentityRecord>): IdentityRepository {
  return {
    find: (_id) => identities.find({ _id }),
    findOf: (clientId) => identities.find({ clientId }),
    add: (identity) => identities.insert(identity),
  }
}
