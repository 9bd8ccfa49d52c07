import Type from 'typebox'
import { Hash, strict, Time, TimeOrNull } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/**
 * Counts for a network or email address. `_id` is a keyed hash, so that the store does not name the address. The record
 * belongs to no conversation, so erasing one does not change it. Times are milliseconds since 1970 UTC.
 */
export interface AddressRecord {
  _id: string
  /** The recent uses of the address, the oldest first. */
  places: readonly Place[]
  /** The time when the address's owner unsubscribed from mails. Null while they want mails. */
  unsubscribedAt: number | null
  /** The time after which only `unsubscribedAt` counts. */
  expiresAt: number
}

/** One of an address's places. `name` says what took it, also as a keyed hash. */
export interface Place {
  name: string
  at: number
}

/** An address has at most `max` places within `windowMs`. */
export interface PlaceLimit {
  max: number
  windowMs: number
}

export const ADDRESSES: PlainTable<AddressRecord> = {
  name: 'addresses',
  key: '_id',
  fields: {
    _id: Hash,
    places: Type.Array(strict({ name: Hash, at: Time }), { maxItems: 200 }),
    unsubscribedAt: TimeOrNull,
    expiresAt: Time,
  },
  indexes: { expiry: { by: { unsubscribedAt: 1, expiresAt: 1 } } },
}

export function openAddresses(addresses: Rows<AddressRecord>) {
  return {
    /**
     * Takes a place. The write itself decides, so only one of two nodes gets the last place. A name that already has a
     * place keeps it, from `now` on. Null when it was taken, else the time at which the next one is free. Removes records
     * of the store that have expired at `now`.
     */
    async take(_id: string, name: string, limit: PlaceLimit, now: number): Promise<number | null> {
      await addresses.remove({ unsubscribedAt: null, expiresAt: { '<=': now } })
      for (;;) {
        const found = await addresses.find({ _id })
        const taken = withPlace(found?.places ?? [], name, limit, now)
        if ('freeAt' in taken) return taken.freeAt
        // The write decides, because another call may have taken a place in the meantime.
        const stored =
          found === null
            ? await addresses.insert({ _id, ...taken, unsubscribedAt: null })
            : (await addresses.update({ _id, places: found.places }, taken)) === 'updated'
        if (stored) return null
      }
    },

    /** Stores when the owner unsubscribed, or null when they want mails again. */
    async setUnsubscribed(_id: string, unsubscribedAt: number | null): Promise<void> {
      for (;;) {
        if ((await addresses.update({ _id }, { unsubscribedAt })) === 'updated') return
        if (await addresses.insert({ _id, places: [], unsubscribedAt, expiresAt: 0 })) return
      }
    },

    async isUnsubscribed(_id: string): Promise<boolean> {
      const found = await addresses.find({ _id })
      return found !== null && found.unsubscribedAt !== null
    },
  }
}

export type AddressRepository = ReturnType<typeof openAddresses>

/** Returns the places after taking one, or the time at which the next one is free. */
function withPlace(
  places: readonly Place[],
  name: string,
  { max, windowMs }: PlaceLimit,
  now: number,
): { places: Place[]; expiresAt: number } | { freeAt: number } {
  // A time far in the future comes from a clock that was wrong.
  const held = places.filter((place) => Math.abs(now - place.at) < windowMs && place.name !== name)
  if (held.length >= max) {
    return { freeAt: Math.max(now + 1, Math.min(...held.map(({ at }) => at)) + windowMs) }
  }
  return { places: [...held, { name, at: now }], expiresAt: now + windowMs }
}
