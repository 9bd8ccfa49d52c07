import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import { openStores } from '../src/storage/open-storage.ts'
import { API_PREFIX, newId } from '../test/chat-client.ts'
import type { Benchmark } from './benchmark.ts'
import { type CopiedConversation, fillWithCopies } from './copied-stores.ts'
import { compareGets, withSeededServers } from './seeded-stores.ts'

const MESSAGES_EACH = 10
const LARGE = { conversations: 100_000, entries: 100_000 }
const SMALL = { conversations: 1_000, entries: 1_000 }
const QUICK = { conversations: 2_000, entries: 2_000 }
const BATCH = 1_000
const PAGE = 50
const ADMIN_ID = '000000000000000000000001'
const STATUSES = ['open', 'resolved', 'snoozed', 'resolved'] as const

async function fillInbox(dataDir: string, size: typeof LARGE): Promise<string> {
  const first = await fillWithCopies(dataDir, size.conversations, conversation)
  const { storage } = await openStores({ dataDir })
  for (let from = 0; from < size.entries; from += BATCH) {
    const notes = Array.from({ length: BATCH }, (_, index) => ({
      clientId: first,
      nonce: newId(),
      by: ADMIN_ID,
      text: `Note ${from + index} about what to do next.`,
      mentions: [],
      at: Date.now(),
    }))
    await Promise.all(notes.map((note) => storage.inbox.addNote(note)))
  }
  await storage.close()
  return first
}

function conversation(clientId: string, index: number): CopiedConversation {
  const start = Date.now() - 86_400_000 + index * 100
  const status = STATUSES[index % STATUSES.length] ?? 'open'
  // Every second open conversation waits and is unread.
  const waits = status === 'open' && index % 8 === 0
  return {
    messages: Array.from({ length: MESSAGES_EACH }, (_, at) => {
      const fromVisitor = at % 2 === 0 || (waits && at === MESSAGES_EACH - 1)
      return {
        senderId: fromVisitor ? clientId : ADMIN_ID,
        createdAt: start + at + 1,
        message: 'A sentence of about the length that people write when they ask about their exam.',
      }
    }),
    chat: {
      status,
      snoozedUntil: status === 'snoozed' ? Date.now() + 86_400_000 : null,
      assigneeId: index % 12 < 4 ? ADMIN_ID : null,
      labels: index % 5 === 0 ? ['Refund'] : [],
      version: 1,
      ...(status === 'resolved' ? { settledSeq: MESSAGES_EACH } : {}),
      ...(waits ? { adminRead: 0, adminReadCount: 0 } : {}),
    },
  }
}

/** The inbox at constant cost: the same page, out of a hundred times as much. */
export const inbox: Benchmark = {
  name: 'inbox',
  run: ({ quick }) =>
    withSeededServers(
      { large: quick ? QUICK : LARGE, small: SMALL },
      async (large, small) => {
        const size = quick ? QUICK : LARGE
        const amount = `${size.conversations.toLocaleString('en')} conversations against 1,000`
        const compare = (what: string, path: (clientId: string, entries: number) => string) =>
          compareGets({ quick, what, as: 'admin', atMost: 1.5 }, large, small, (seeded) => {
            const { entries } = seeded === large ? size : SMALL
            return API_PREFIX + path(seeded.clientId, entries)
          })
        const list = (query: string) => () => `${paths.chat}?limit=${PAGE}&${query}`
        const activity = (query: (entries: number) => string) => (id: string, entries: number) =>
          `${adminPaths.conversationActivity(id)}?limit=100&${query(entries)}`
        const count = `${size.entries.toLocaleString('en')} entries against 1,000`
        return [
          await compare(`a page of ${PAGE} open conversations, ${amount}`, list('status=open')),
          await compare('the same, resolved', list('status=resolved')),
          await compare('the same, all', list('')),
          await compare('the same, unread', list('unread=1')),
          await compare('the same, assigned to one admin', list(`status=open&assignee=${ADMIN_ID}`)),
          await compare('the same, not assigned', list('status=open&assignee=none')),
          await compare('the same, with a label', list('label=refund&status=open,snoozed')),
          await compare('the counts of the tabs', () => adminPaths.chatCounts),
          await compare('the labels in use', () => adminPaths.chatLabels),
          await compare(
            `the newest 100 entries of a log, ${count}`,
            activity(() => ''),
          ),
          await compare(
            '100 entries from its middle',
            activity((entries) => `after=${entries / 2}`),
          ),
        ]
      },
      fillInbox,
    ),
}
