import { labelKey } from '@proctorpass/shared/label-key'
import { SAVED_SEARCH_NAME_MAX, SAVED_SEARCH_QUERY_MAX } from '@proctorpass/shared/limits'
import { Id, text } from './bounds.ts'
import { newId } from './ids.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A search that an admin keeps under a name. Its `_id` has 24 hex digits. */
export interface SavedSearchRecord {
  _id: string
  userId: string
  name: string
  /** The name as it is compared. It is unique among the admin's searches. */
  nameKey: string
  /** The parameters of `GET /search`, as in an address. */
  query: string
}

export interface NewSavedSearch {
  userId: string
  name: string
  query: string
  createdAt: number
}

export type SavedSearchStored =
  | { outcome: 'stored'; search: SavedSearchRecord }
  | { outcome: 'name-taken' | 'full' }

export const SAVED_SEARCHES: PlainTable<SavedSearchRecord> = {
  name: 'savedSearches',
  key: '_id',
  fields: {
    _id: Id,
    userId: Id,
    name: text(SAVED_SEARCH_NAME_MAX, 1),
    // NFKC can make a name up to 18 times as long.
    nameKey: text(18 * SAVED_SEARCH_NAME_MAX, 1),
    query: text(SAVED_SEARCH_QUERY_MAX, 1),
  },
  indexes: { name: { by: { userId: 1, nameKey: 1 }, unique: true } },
}

export function openSavedSearches(searches: Rows<SavedSearchRecord>) {
  return {
    /** Lists the admin's searches in the order of their names. */
    listOf: (userId: string) => searches.list({ userId }, { order: { nameKey: 1 } }),

    /**
     * Creates a search. `full` means that the admin has `max` searches. Two concurrent calls may both find the last place
     * free. A taken name is reported first.
     */
    async create(
      { userId, name, query, createdAt }: NewSavedSearch,
      max: number,
    ): Promise<SavedSearchStored> {
      const nameKey = labelKey(name)
      if ((await searches.find({ userId, nameKey })) !== null) return { outcome: 'name-taken' }
      if ((await searches.count({ userId })) >= max) return { outcome: 'full' }
      const search = { _id: newId(createdAt), userId, name, nameKey, query }
      return (await searches.insert(search)) ? { outcome: 'stored', search } : { outcome: 'name-taken' }
    },

    /** Returns false when the admin has no such search. */
    remove: async (userId: string, _id: string) => (await searches.remove({ _id, userId })) === 1,
  }
}
