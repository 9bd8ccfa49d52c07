import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import { API_PREFIX } from '../test/chat-client.ts'
import type { Benchmark } from './benchmark.ts'
import { compareGets, withSeededServers } from './seeded-stores.ts'

const LARGE = { messages: 100_000, conversations: 10_000 }
const SMALL = { messages: 100, conversations: 100 }

/** No answer may get slower with the amount of old data: the same answers, out of a thousand times as much. */
export const history: Benchmark = {
  name: 'history',
  run: ({ quick }) =>
    withSeededServers({ large: LARGE, small: SMALL }, async (large, small) => {
      const compare = (
        what: string,
        as: 'visitor' | 'admin',
        path: (clientId: string, messages: number) => string,
      ) =>
        compareGets({ quick, what, as }, large, small, (seeded) => {
          const { messages } = seeded === large ? LARGE : SMALL
          return API_PREFIX + path(seeded.clientId, messages)
        })
      return [
        await compare(
          'admin opens a conversation of 100,000 messages against 100',
          'admin',
          (id) => `${adminPaths.adminConversation(id)}?limit=100`,
        ),
        await compare(
          'catch-up of 50 from the middle of 100,000 messages against 100',
          'visitor',
          (id, messages) => `${paths.conversation(id)}?after=${messages / 2}&limit=50`,
        ),
        await compare(
          'a page of 100 of the chats list, 10,000 conversations against 100',
          'admin',
          () => `${paths.chat}?limit=100`,
        ),
        await compare(
          'unread count, 10,000 conversations against 100, 100 of each unread',
          'admin',
          () => adminPaths.unreadCount,
        ),
      ]
    }),
}
