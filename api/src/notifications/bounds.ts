import type { KeyedHash } from '../credentials/store-secret.ts'
import type { AddressRepository, PlaceLimit } from '../storage/model/addresses.ts'

/** Of one network address, so that a stranger with many conversations cannot ring without end. */
const CONVERSATIONS: PlaceLimit = { max: 10, windowMs: 60 * 60 * 1_000 }
/** How often one conversation rings while no admin reads it. */
const RINGS_MAX = 6
/** How often admins are mailed about it meanwhile. */
const MAILS_MAX = 1

/** What a conversation has notified of since it was last read, and the hash of its visitor's network address. */
export interface Notified {
  /** Null: unknown, as in jobs of older releases. All such conversations share the places of one address. */
  from: string | null
  rings: number
  mails: number
}

interface BoundsDeps {
  addresses: AddressRepository
  hash: KeyedHash
  /** Whether there are rate limits at all. */
  enabled: boolean
  now: () => number
}

/** Whether a conversation notifies on its own. The others are told of by a summary. */
export function createBounds({ addresses, hash, enabled, now }: BoundsDeps) {
  async function take(purpose: 'ring' | 'waiting-mail', clientId: string, from: string | null) {
    const [id, name] = await Promise.all([hash(purpose, from ?? ''), hash(purpose, clientId)])
    return (await addresses.take(id, name, CONVERSATIONS, now())) === null
  }
  return {
    mayRing: async (clientId: string, { from, rings }: Notified): Promise<boolean> =>
      !enabled || (rings < RINGS_MAX && (await take('ring', clientId, from))),
    mayMail: async (clientId: string, { from, mails }: Notified): Promise<boolean> =>
      !enabled || (mails < MAILS_MAX && (await take('waiting-mail', clientId, from))),
  }
}

export type Bounds = ReturnType<typeof createBounds>
