import { paths } from '@proctorpass/shared/paths'
import { API_PREFIX } from '../test/chat-client.ts'
import type { Benchmark } from './benchmark.ts'
import { compareGets, withSeededServers } from './seeded-stores.ts'

const LARGE = { messages: 2, conversations: 1, listed: 10_000 }
const SMALL = { ...LARGE, listed: 100 }
/** A size that no page of the site asks for: those are answered out of memory. */
const PER_PAGE = 14

/** The lists of the dashboard page at constant cost: the same amount out of a hundred times as much. */
export const lists: Benchmark = {
  name: 'lists',
  run: ({ quick }) =>
    withSeededServers({ large: LARGE, small: SMALL }, async (large, small) => {
      const compare = (what: string, path: string, as: 'visitor' | 'admin') =>
        compareGets({ quick, what: `${what}, 10,000 against 100`, as }, large, small, () => API_PREFIX + path)
      return [
        await compare('a page of posts', `${paths.blogs}?page=1&perPage=${PER_PAGE}`, 'visitor'),
        await compare('the fifth page of posts', `${paths.blogs}?page=5&perPage=${PER_PAGE}`, 'visitor'),
        await compare('a page of reviews', `${paths.reviews}?page=1&perPage=${PER_PAGE}`, 'visitor'),
        await compare('a page of 100 contacts', `${paths.contacts}?page=1&perPage=100`, 'admin'),
      ]
    }),
}
