import { ClientId, Hash, Time, Token } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A browser that may continue a conversation in a site's frame. The frame's cookie names it. */
export interface RememberedRecord {
  /** The cookie's SHA-256 hash in base64url. */
  hash: string
  siteId: string
  clientId: string
  /** The history's epoch. Erasing the history ends the record. */
  epoch: string
  expiresAt: number
}

/** Assigns a conversation to a signed visitor. */
export interface IdentityRecord {
  /** The hash of the site and its token's `sub`, which names the person. */
  _id: string
  siteId: string
  /** The unique clientId, because a conversation belongs to one person. */
  clientId: string
}

export const REMEMBERED: PlainTable<RememberedRecord> = {
  name: 'remembered',
  key: 'hash',
  fields: { hash: Hash, siteId: ClientId, clientId: ClientId, epoch: Token, expiresAt: Time },
  indexes: { client: { by: { clientId: 1 } }, expiry: { by: { expiresAt: 1 } } },
}

export function openRemembered(remembered: Rows<RememberedRecord>) {
  return {
    /** Adds a browser, and removes those that have expired at `now`. */
    async add(row: RememberedRecord, now: number): Promise<void> {
      await Promise.all([remembered.remove({ expiresAt: { '<=': now } }), remembered.insert(row)])
    },
    /** Moves the end of a browser's record for this conversation. Returns false when there is no such record. */
    extend: async ({ expiresAt, ...named }: RememberedRecord) =>
      (await remembered.update(named, { expiresAt })) === 'updated',
    /** Returns null when the browser is unknown, belongs to another site, or has expired at `now`. */
    find: (hash: string, siteId: string, now: number) =>
      remembered.find({ hash, siteId, expiresAt: { '>': now } }),
    async remove(hash: string): Promise<void> {
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

export function openIdentities(identities: Rows<IdentityRecord>) {
  return {
    find: (_id: string) => identities.find({ _id }),
    /** Returns the identity that has this conversation, or null. */
    findOf: (clientId: string) => identities.find({ clientId }),
    /** Adds an identity. Returns false when the person already has a conversation or the conversation has a person. */
    add: (identity: IdentityRecord) => identities.insert(identity),
  }
}
