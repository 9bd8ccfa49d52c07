import { ClientId, Hash, Time, Token } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A browser that may continue a conversation in the frame of a site: what the cookie of the frame names. */
export interface RememberedRecord {
  /** SHA-256 of the cookie, base64url. */
  hash: string
  siteId: string
  clientId: string
  /** The history's epoch: erasing ends it. */
  epoch: string
  expiresAt: number
}

/** Which conversation is that of a person whom a site signs. */
export interface IdentityRecord {
  /** A hash of the site and its `sub`. */
  _id: string
  siteId: string
  /** Unique: a conversation is of one person. */
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
    /** Removes expired ones too. */
    async add(row: RememberedRecord, now: number): Promise<void> {
      await Promise.all([remembered.remove({ expiresAt: { '<=': now } }), remembered.insert(row)])
    },
    /** Moves the end of one that names this conversation. False when there is none. */
    extend: async ({ expiresAt, ...named }: RememberedRecord) =>
      (await remembered.update(named, { expiresAt })) === 'updated',
    /** Null when it is unknown, of another site, or expired at `now`. */
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
    /** The identity that has this conversation. */
    findOf: (clientId: string) => identities.find({ clientId }),
    /** False when the person has a conversation, or the conversation a person: judged by the write itself. */
    add: (identity: IdentityRecord) => identities.insert(identity),
  }
}
