import { join } from 'node:path'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import type { CopiedChat, CopiedMessage } from '../src/storage/copy/store-copy.ts'
import { openStores } from '../src/storage/open-storage.ts'
import { newEpoch, newId as newRecordId } from '../src/storage/rules/ids.ts'
import { fillSqlite } from '../src/storage/sqlite/copy.ts'
import { API_PREFIX, newId } from '../test/chat-client.ts'
import type { Benchmark } from './benchmark.ts'
import { compareGets, withSeededServers } from './seeded-stores.ts'

const MESSAGES_EACH = 10
const LARGE = { conversations: 100_000, entries: 100_000 }
const SMALL = { conversations: 1_000, entries: 1_000 }
const QUICK = { conversations: 2_000, entries: 2_000 }
const BATCH = 1_000
const PAGE = 50
const ADMIN_ID = '000000000000000000000001'
const STATUSES = ['open', 'resolved', 'snoozed', 'resolved'] as const

/** A million messages in a store that never ran: written as a copy, which takes a tenth of the time of sending them. */
async function fillInbox(dataDir: string, size: typeof LARGE): Promise<string> {
  // Creates the schema.
  await (await openStores({ dataDir })).storage.close()
  const target = fillSqlite(join(dataDir, 'chat.sqlite'), undefined as never)
  await target.setFilling({ state: 'filling', source: 'bench', salt: '' })
  let first = ''
  for (let from = 0; from < size.conversations; from += BATCH) {
    const messages: CopiedMessage[] = []
    const chats: CopiedChat[] = []
    for (let index = from; index < Math.min(from + BATCH, size.conversations); index += 1) {
      const clientId = newId()
      if (index === 0) first = clientId
      chats.push(conversation(clientId, index, messages))
    }
    await target.put(messages, chats, [])
  }
  await target.setFilling({ state: 'filled', source: 'bench', salt: '' })
  await target.close()
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

function conversation(clientId: string, index: number, messages: CopiedMessage[]): CopiedChat {
  const epoch = newEpoch()
  const start = Date.now() - 86_400_000 + index * 100
  const status = STATUSES[index % STATUSES.length] ?? 'open'
  // Every second open conversation waits and is unread.
  const waits = status === 'open' && index % 8 === 0
  let last = null as CopiedMessage | null
  for (let seq = 1; seq <= MESSAGES_EACH; seq += 1) {
    const fromVisitor = seq % 2 === 1 || (waits && seq === MESSAGES_EACH)
    last = {
      _id: newRecordId(start + seq),
      ...{ clientId, epoch, seq, nonce: newId(), createdAt: start + seq },
      senderId: fromVisitor ? clientId : ADMIN_ID,
      message: 'A sentence of about the length that people write when they ask about their exam.',
      visitorCount: (last?.visitorCount ?? 0) + (fromVisitor ? 1 : 0),
      waitingSince: fromVisitor ? (last?.waitingSince ?? start + seq) : null,
      attachments: null,
      via: null,
      quoted: null,
    }
    messages.push(last)
  }
  const { seq, createdAt: lastAt, visitorCount, waitingSince } = last as CopiedMessage
  const read = waits ? { adminRead: 0, adminReadCount: 0 } : { adminRead: seq, adminReadCount: visitorCount }
  return {
    lastMessage: last,
    activityN: 0,
    conversation: {
      ...{ clientId, epoch, seq, lastAt, visitorCount, waitingSince, visitorRead: seq, ...read },
      keyHashes: [],
      status,
      snoozedUntil: status === 'snoozed' ? Date.now() + 86_400_000 : null,
      assigneeId: index % 12 < 4 ? ADMIN_ID : null,
      labels: index % 5 === 0 ? ['Refund'] : [],
      version: 1,
      settledSeq: status === 'resolved' ? seq : 0,
      blockedUntil: null,
      rated: false,
      siteId: null,
      siteName: null,
      visitor: null,
      seen: [],
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
