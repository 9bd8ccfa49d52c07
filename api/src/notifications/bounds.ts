import type { KeyedHash } from '../credentials/store-secret.ts'
import type { AddressRepository, PlaceLimit } from '../storage/model/addresses.ts'

/**
 * How many conversations from one network address may notify, so that a stranger with many conversations cannot ring
 * forever.
 */
const CONVERSATIONS: PlaceLimit = { max: 10, windowMs: 60 * 60 * 1_000 }
/** How often one conversation rings while no admin reads it. */
const RINGS_MAX = 6
/** How many mails the admins receive about one conversation while no admin reads it. */
const MAILS_MAX = 1

/** What a conversation has notified about since it was last read, and the hash of its visitor's network address. */
export interface Notified {
  /** Null if unknown, as in jobs from older releases. All such conversations share one address's places. */
  from: string | null
  rings: number
  mails: number
}

interface BoundsDeps {
  addresses: AddressRepository
  hash: KeyedHash
  /** Whether rate limits apply at all. */
  enabled: boolean
  now: () => number
}

/** Decides whether a conversation notifies on its own. A summary covers the other conversations. */
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
