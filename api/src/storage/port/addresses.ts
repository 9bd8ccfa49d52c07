/**
 * Counts for an address of the network or of email. `_id` is a keyed hash of it, so that the store does not
 * name the address, and nothing of it belongs to a conversation: erasing one changes nothing here. Times are
 * milliseconds since 1970 UTC.
 */
export interface AddressRecord {
  _id: string
  /** Recent uses of the address, the oldest first. */
  places: readonly Place[]
  /** When its owner unsubscribed from mails; null: wants them. */
  unsubscribedAt: number | null
  /** From then on only `unsubscribedAt` counts. */
  expiresAt: number
}

/** One of the places of an address. `name` says what took it, as a keyed hash too. */
export interface Place {
  name: string
  at: number
}

/** At most `max` places within `windowMs`. */
export interface PlaceLimit {
  max: number
  windowMs: number
}

export interface AddressRepository {
  /**
   * Takes a place, judged by the write itself: of two nodes that want the last one, one gets it. Who has a place keeps it,
   * from `now` on. Null when it was taken, else the time at which the next one is free. Removes records of the store
   * that have expired at `now`.
   */
  take(id: string, name: string, limit: PlaceLimit, now: number): Promise<number | null>
  /** Null: wants mails again. */
  setUnsubscribed(id: string, at: number | null): Promise<void>
  isUnsubscribed(id: string): Promise<boolean>
}
