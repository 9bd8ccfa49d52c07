import type { LinkRepository } from '../links.ts'
import type { MongoConnection } from './connection.ts'
import type { Collections } from './documents.ts'

export function openLinks({ links }: Collections, settled: MongoConnection['settled']): LinkRepository {
  return {
    async create(created, now) {
      await links.deleteMany({ expiresAt: { $lte: now } })
      await links.insertMany(created.map(({ hash, ...link }) => ({ _id: hash, ...link })))
    },

    async find(hash, kind, now) {
      const found = await links.findOne({ _id: hash, kind, expiresAt: { $gt: now } }, settled)
      if (found === null) return null
      const { _id, ...link } = found
      return { hash: _id, ...link }
    },
  }
}
