import { AppError, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { SAVED_SEARCH_FIELDS } from '@proctorpass/shared/fields/search'
import { SAVED_SEARCH_COUNT_MAX, SAVED_SEARCHES_MAX } from '@proctorpass/shared/limits'
import type { NewSavedSearch, SavedSearch, SavedSearchList } from '@proctorpass/shared/schemas/search'
import type { AdminCaller } from '../auth/caller.ts'
import type { Limits } from '../limits/limits.ts'
import type { SavedSearchRecord } from '../storage/model/saved-searches.ts'
import type { Storage } from '../storage/model/storage.ts'
import { parseSavedQuery } from './saved-query.ts'
import type { Search } from './search.ts'

interface SavedSearchesDeps {
  storage: Pick<Storage, 'savedSearches'>
  search: Pick<Search, 'check' | 'count'>
  limits: Pick<Limits, 'take'>
  now: () => number
}

/** The use cases of admins for their own saved searches. */
export function createSavedSearches({ storage, search, limits, now }: SavedSearchesDeps) {
  return {
    /** Lists the admin's searches with the number of their hits. */
    async list(admin: AdminCaller): Promise<SavedSearchList> {
      await limits.take('savedSearches', admin.userId)
      const saved = await storage.savedSearches.listOf(admin.userId)
      const queries = saved.map(({ query }) => parseSavedQuery(query))
      const counts = await search.count(admin, queries, SAVED_SEARCH_COUNT_MAX)
      return {
        searches: saved.map((each, index) => ({ ...shown(each), ...(counts[index] ?? NOTHING) })),
      }
    },

    /**
     * Saves a search. Throws an AppError `invalid-input` for a wrong name, and for a query that `GET /search` would
     * refuse; `conflict` with a detail for a taken `name`, and without one if the admin has SAVED_SEARCHES_MAX.
     */
    async create(admin: AdminCaller, input: NewSavedSearch): Promise<SavedSearch> {
      const { name } = checkFields(SAVED_SEARCH_FIELDS, { name: input.name })
      const parsed = parseSavedQuery(input.query)
      if (parsed === null) throw fieldError('query', "This isn't a search.")
      search.check(admin, parsed)
      await limits.take('savedSearches', admin.userId)
      const { userId } = admin
      const record = { userId, name, query: input.query, createdAt: now() }
      const created = await storage.savedSearches.create(record, SAVED_SEARCHES_MAX)
      if (created.outcome === 'stored') {
        const [count = NOTHING] = await search.count(admin, [parsed], SAVED_SEARCH_COUNT_MAX)
        return { ...shown(created.search), ...count }
      }
      if (created.outcome === 'name-taken') {
        throw fieldError('name', 'This name is taken. Choose another one.', { code: 'conflict' })
      }
      throw new AppError(
        'conflict',
        `You can have up to ${SAVED_SEARCHES_MAX} saved searches. Delete one first.`,
      )
    },

    /** Deletes a search. Throws an AppError `not-found` if the admin has no such search. */
    async remove({ userId }: AdminCaller, id: string): Promise<void> {
      if (await storage.savedSearches.remove(userId, id)) return
      throw new AppError('not-found', 'Saved search not found.')
    },
  }
}

export type SavedSearches = ReturnType<typeof createSavedSearches>

const NOTHING = { count: 0, more: false }

const shown = ({ _id, name, query }: SavedSearchRecord) => ({ _id, name, query })
