import { POST_STATES } from '@proctorpass/shared/post-states'
import { NEVER } from '../../src/storage/model/blogs.ts'
import type { Appended, NewMessage } from '../../src/storage/model/conversation/messages.ts'
import type { Storage } from '../../src/storage/model/storage.ts'

export const VISITOR = 'Visitor0000000000001'
export const OTHER = 'Visitor0000000000002'
export const ADMIN = 'a'.repeat(24)
export const T0 = Date.UTC(2026, 0, 1)

export interface StoreUnderTest {
  /** The store of the running test. */
  readonly storage: Storage
  /** Closes the store and opens it again. */
  reopen(): Promise<void>
  /** Stores a message, by default from VISITOR at T0 under a new nonce. */
  append(message: string, options?: Partial<NewMessage>): Promise<Appended>
  /** The texts of a page. */
  texts(query?: { after?: number; before?: number }, clientId?: string): Promise<string[] | undefined>
}

let nonces = 0

/** `current` returns the store that is open now. */
export function storeUnderTest(current: () => Storage, reopen: () => Promise<void>): StoreUnderTest {
  const storage = new Proxy({} as Storage, { get: (_, name) => Reflect.get(current(), name) })
  return {
    storage,
    reopen,
    append(message, options = {}) {
      nonces += 1
      const { clientId = VISITOR } = options
      const defaults = { clientId, senderId: clientId, message, nonce: `nonce-${nonces}-xxxx`, at: T0 }
      return storage.messages.append({ ...defaults, ...options })
    },
    async texts(query = {}, clientId = VISITOR) {
      const page = await storage.messages.page(clientId, { limit: 200, ...query })
      return page?.messages.map(({ message }) => message)
    },
  }
}

export const post = (slug: string, createdAt = T0) => ({
  slug,
  title: `Title of ${slug}`,
  summary: 'A summary',
  img: '/images/posts/desk.svg',
  imgAlt: 'A desk with a laptop on it',
  content: '<p>Text</p>',
  createdAt,
})

/** Lists posts in any state, all of them as published ones. */
export const listPosts = ({ blogs }: Pick<Storage, 'blogs'>, page = { page: 1, perPage: 100 }) =>
  blogs.list(page, POST_STATES, NEVER - 1)

export const review = (name: string, createdAt = T0) => ({
  name,
  time: 'March 2026',
  star: 4.5,
  review: `Written by ${name}`,
  createdAt,
})

export const contact = (title: string, createdAt = T0) => ({
  email: 'sam@example.com',
  title,
  message: 'A question',
  createdAt,
})
