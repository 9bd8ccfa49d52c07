import Type from 'typebox'
import type { LinkRecord, LinkRepository } from '../port/links.ts'
import { ClientId, Hash, OrNull, Time, Token } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

export const LINKS: PlainTable<LinkRecord> = {
  name: 'links',
  key: 'hash',
  fields: {
    hash: Hash,
    kind: Type.Union(['resume', 'unsubscribe', 'reply', 'sent'].map((kind) => Type.Literal(kind))),
    clientId: ClientId,
    epoch: Token,
    addressId: OrNull(Hash),
    expiresAt: Time,
  },
  missing: { addressId: null },
  indexes: { client: { by: { clientId: 1 } }, expiry: { by: { expiresAt: 1 } } },
}

export function openLinks(links: Rows<LinkRecord>): LinkRepository {
  return {
    async create(created, now) {
      await Promise.all([
        links.remove({ expiresAt: { '<=': now } }),
        ...created.map((link) => links.insert(link)),
      ])
    },
    find: (hash, kind, now) => links.find({ hash, kind, expiresAt: { '>': now } }),
  }
}
