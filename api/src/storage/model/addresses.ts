import Type from 'typebox'
import { Hash, strict, Time, TimeOrNull } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

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
  /** After this time only `unsubscribedAt` counts. */
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
     * Takes a place, judged by the write itself: of two nodes that want the last one, one gets it. A name that has a
     * place keeps it, from `now` on. Null when it was taken, else the time at which the next one is free. Removes records
     * of the store that have expired at `now`.
     */
    async take(_id: string, name: string, limit: PlaceLimit, now: number): Promise<number | null> {
      await addresses.remove({ unsubscribedAt: null, expiresAt: { '<=': now } })
      for (;;) {
        const found = await addresses.find({ _id })
        const taken = withPlace(found?.places ?? [], name, limit, now)
        if ('freeAt' in taken) return taken.freeAt
        // The write decides: another call may have taken a place meanwhile.
        const stored =
          found === null
            ? await addresses.insert({ _id, ...taken, unsubscribedAt: null })
            : (await addresses.update({ _id, places: found.places }, taken)) === 'updated'
        if (stored) return null
      }
    },

    /** Null: the owner wants mails again. */
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

/** The places after taking one; a time when none is free before. */
function withPlace(
  places: readonly Place[],
  name: string,
  { max, windowMs }: PlaceLimit,
  now: number,
): { places: Place[]; expiresAt: number } | { freeAt: number } {
  // A time far ahead comes from a clock that was wrong.
  const held = places.filter((place) => Math.abs(now - place.at) < windowMs && place.name !== name)
  if (held.length >= max) {
    return { freeAt: Math.max(now + 1, Math.min(...held.map(({ at }) => at)) + windowMs) }
  }
  return { places: [...held, { name, at: now }], expiresAt: now + windowMs }
}
