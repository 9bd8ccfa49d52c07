import { copyFileSync, existsSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { AppError } from '@proctorpass/shared/errors'
import { paths } from '@proctorpass/shared/paths'
import type {
  ConversationList,
  ConversationSummary,
  Message,
  Page,
  UnreadCount,
} from '@proctorpass/shared/schemas/chat'
import type { Activity, ActivityPage } from '@proctorpass/shared/schemas/inbox'
import type { Scheduled, ScheduledList } from '@proctorpass/shared/schemas/scheduled'
import { API_PREFIX, untilAnswered } from '../chat-client.ts'
import { areFiles } from './files.ts'
import { settledSeq } from './inbox-log.ts'
import { isSame, type Ledger } from './ledger.ts'
import { type Person, Visitor } from './people.ts'

const DATABASE = 'chat.sqlite'
const ATTACHMENTS = 'attachments'
const ANSWER_MS = 20_000

export interface Tally {
  stored: number
  lost: number
  duplicated: number
  outOfOrder: number
  gaps: number
  files: number
}

/** Everything an admin can read, straight from the server. */
export async function readByRest(origin: string, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  async function ask(path: string) {
    const answer = await fetch(origin + path, { headers, signal: AbortSignal.timeout(ANSWER_MS) })
    if (answer.status !== 200) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`)
    const next = /<([^>]+)>; *rel="next"/.exec(answer.headers.get('link') ?? '')?.[1]
    return { body: (await answer.json()) as unknown, next: next && new URL(next, origin) }
  }
  const get = (path: string) => untilAnswered(() => ask(path))

  const summaries: ConversationSummary[] = []
  let path: string | undefined = `${API_PREFIX}${paths.chat}?limit=20`
  while (path !== undefined) {
    const { body, next } = await get(path)
    const list = body as ConversationList
    if (Array.isArray(list)) summaries.push(...list)
    path = next ? next.pathname + next.search : undefined
  }

  const logs = new Map<string, Activity[]>()
  for (const { clientId } of summaries) {
    const log: Activity[] = []
    for (let more = true; more; ) {
      const query = `after=${log.at(-1)?.n ?? 0}&limit=100`
      const { body } = await get(`${API_PREFIX}${adminPaths.conversationActivity(clientId)}?${query}`)
      const page = body as ActivityPage
      log.push(...page.activity)
      more = page.more
    }
    logs.set(clientId, log)
  }

  const scheduled: Scheduled[] = []
  for (const { clientId } of summaries) {
    const { body } = await get(API_PREFIX + adminPaths.conversationScheduled(clientId))
    scheduled.push(...(body as ScheduledList).scheduled)
  }

  const conversations = new Map<string, { messages: Message[]; page: Page }>()
  for (const { clientId } of summaries) {
    const messages: Message[] = []
    for (;;) {
      const after = messages.at(-1)?.seq ?? 0
      const { body } = await get(
        `${API_PREFIX}${adminPaths.adminConversation(clientId)}?after=${after}&limit=100`,
      )
      const page = body as Page
      messages.push(...page.messages)
      if (page.more) continue
      conversations.set(clientId, { messages, page })
      break
    }
  }
  const { body } = await get(API_PREFIX + adminPaths.unreadCount)
  return {
    summaries,
    conversations,
    logs,
    scheduled,
    totalAdminUnread: (body as UnreadCount).totalAdminUnread,
  }
}

/** Compares the store with the typed, acknowledged and marked messages, and with a recount of itself. */
export function checkConversations(
  ledger: Ledger,
  { summaries, conversations, logs, totalAdminUnread }: Awaited<ReturnType<typeof readByRest>>,
): Tally {
  const tally: Tally = { stored: 0, lost: 0, duplicated: 0, outOfOrder: 0, gaps: 0, files: 0 }
  const wrong = (text: string) => ledger.violation(text)
  const isWrong = (what: keyof Tally, text: string) => {
    tally[what] += 1
    wrong(text)
  }

  const byNonce = new Map<string, Message>()
  const texts = new Set<string>()
  const files = new Set<string>()
  for (const { messages } of conversations.values()) {
    for (const [index, message] of messages.entries()) {
      tally.stored += 1
      if (message.seq !== index + 1) isWrong('gaps', `seq ${message.seq} is at place ${index + 1}`)
      const { attachments = [] } = message
      // Each typed text is unique, and so is each file, so a message that got a second nonce is found too.
      const text = message.message === '' ? null : message.message
      const its = attachments.flatMap(({ _id, name }) => [_id, name])
      tally.files += attachments.length
      if (byNonce.has(message.nonce) || (text && texts.has(text)) || its.some((each) => files.has(each))) {
        isWrong('duplicated', `stored twice: ${JSON.stringify(message)}`)
      }
      byNonce.set(message.nonce, message)
      if (text) texts.add(text)
      for (const each of its) files.add(each)
      ledger.sawEpoch(message.clientId, message.epoch)
      const before = messages[index - 1]
      if (before !== undefined && message.createdAt < before.createdAt) {
        wrong(`seq ${message.seq} is older than its predecessor`)
      }
    }
  }

  for (const [nonce, message] of ledger.acknowledged) {
    const stored = byNonce.get(nonce)
    if (stored === undefined) isWrong('lost', `acknowledged and lost: ${JSON.stringify(message)}`)
    else if (!isSame(stored, message)) wrong(`acknowledged as another: ${JSON.stringify([message, stored])}`)
  }
  const typedNonces = new Set(ledger.typed.map(({ nonce }) => nonce))
  for (const message of byNonce.values()) {
    if (!typedNonces.has(message.nonce) && !ledger.scheduled.has(message.nonce))
      wrong(`stored, and never typed: ${JSON.stringify(message)}`)
  }

  const lastSeq = new Map<string, number>()
  for (const { browser, clientId, nonce, message, files: chosen, wasHeld } of ledger.typed) {
    const stored = byNonce.get(nonce)
    if (stored === undefined) continue
    const { seq } = stored
    if (!areFiles(chosen, stored.attachments))
      isWrong('lost', `stored without exactly its files: ${JSON.stringify(stored)}`)
    const author = `${browser} ${clientId}`
    if (seq < (lastSeq.get(author) ?? 0))
      isWrong('outOfOrder', `stored before what was typed first: ${message}`)
    // What was typed after a held reply may be stored before it.
    if (!wasHeld) lastSeq.set(author, seq)
  }

  let total = 0
  for (const { clientId, adminUnread, lastMessage, waitingSince } of summaries) {
    const { messages, page } = conversations.get(clientId) as { messages: Message[]; page: Page }
    const fromVisitor = (message: Message) => message.senderId === clientId
    const unread = messages.filter((message) => fromVisitor(message) && message.seq > page.read.admin).length
    const answered = messages.findLastIndex((message) => !fromVisitor(message)) + 1
    const unanswered = messages.slice(Math.max(answered, settledSeq(logs.get(clientId) ?? [])))
    const since = unanswered[0]?.createdAt ?? null
    const newest = messages.at(-1)
    total += unread
    if (adminUnread !== unread) wrong(`adminUnread is ${adminUnread}, a recount gives ${unread}`)
    if (waitingSince !== since) wrong(`waitingSince is ${waitingSince}, a recount gives ${since}`)
    if (newest === undefined || !isSame(lastMessage, newest)) wrong('the list shows another last message')
    if (page.seq !== messages.length) wrong(`a page says seq ${page.seq} of ${messages.length} messages`)
    for (const side of ['visitor', 'admin'] as const) {
      const highest = ledger.highestMark(clientId, side)
      if (page.read[side] < highest)
        wrong(`the ${side}'s mark went back from ${highest} to ${page.read[side]}`)
      if (page.read[side] > page.seq) wrong(`the ${side}'s mark is beyond the newest message`)
    }
  }
  if (totalAdminUnread !== total) wrong(`totalAdminUnread is ${totalAdminUnread}, a recount gives ${total}`)
  return tally
}

/** Each visitor must be able to read the bytes of every file in their conversation. Answers how many there are. */
export async function checkBytes(
  people: Person[],
  { conversations }: Awaited<ReturnType<typeof readByRest>>,
  origins: readonly string[],
  ledger: Ledger,
): Promise<number> {
  let read = 0
  for (const person of people) {
    if (!(person instanceof Visitor)) continue
    const { clientId } = person.view
    const { messages = [] } = conversations.get(clientId) ?? {}
    for (const { _id, name } of messages.flatMap(({ attachments = [] }) => attachments)) {
      const origin = origins[read % origins.length] as string
      const path = paths.conversationFile(clientId, _id)
      const download = async () => (await person.filesAt(origin).download(path)).arrayBuffer()
      const bytes = await untilAnswered(download, isUnavailable).catch((error) =>
        ledger.violation(`${name} is not readable: ${error}`),
      )
      read += 1
      if (bytes && !ledger.files.get(name)?.file.stored.equals(new Uint8Array(bytes)))
        ledger.violation(`${name} has other bytes`)
    }
  }
  return read
}

const isUnavailable = (error: Error) => error instanceof AppError && error.code === 'unavailable'

/**
 * Checks a copy of the files that a killed server left: opening recovers the log, which the server itself must do.
 * What was acknowledged before must be in them. Answers how many acknowledged uploads wait for their message.
 */
export function checkFiles(ledger: Ledger, dataDir: string, copyDir: string): number {
  mkdirSync(copyDir)
  for (const suffix of ['', '-wal']) {
    const file = join(dataDir, DATABASE + suffix)
    if (existsSync(file)) copyFileSync(file, join(copyDir, DATABASE + suffix))
  }
  const db = new DatabaseSync(join(copyDir, DATABASE))
  const one = (sql: string) => Object.values(db.prepare(sql).get() ?? {})[0]
  if (one('PRAGMA journal_mode') !== 'wal') ledger.violation('journal_mode is not wal')
  if (one('PRAGMA integrity_check') !== 'ok') ledger.violation('integrity_check is not ok')

  const stored = db.prepare(
    'SELECT clientId, seq, message, attachments FROM messages WHERE clientId = ? AND nonce = ?',
  )
  for (const message of ledger.acknowledged.values()) {
    const rows = stored.all(message.clientId, message.nonce)
    const [row] = rows
    const files = JSON.stringify(message.attachments) ?? null
    const isStored =
      row?.seq === message.seq &&
      (row.message === message.message || ledger.edits.has(message.message)) &&
      row.attachments === files
    if (rows.length !== 1 || !isStored) {
      ledger.violation(
        `acknowledged, and in the file ${rows.length} times: ${JSON.stringify([message, ...rows])}`,
      )
    }
  }
  let unsent = 0
  const upload = db.prepare('SELECT messageNonce, name FROM attachments WHERE _id = ?')
  for (const [name, { _id, bytes }] of ledger.uploaded) {
    const row = upload.get(_id)
    const size = statSync(join(dataDir, ATTACHMENTS, _id), { throwIfNoEntry: false })?.size
    const nonce = ledger.files.get(name)?.typed.nonce ?? ''
    if (row?.messageNonce === null) unsent += 1
    const isSent = row?.messageNonce === nonce
    if (row?.name !== name || size !== bytes || (ledger.acknowledged.has(nonce) && !isSent)) {
      ledger.violation(`uploaded ${name}, and stored ${JSON.stringify(row)} with ${size} bytes`)
    }
  }
  const twice = one('SELECT count(*) FROM (SELECT 1 FROM attachments GROUP BY name HAVING count(*) > 1)')
  if (twice !== 0) ledger.violation(`${twice} files are stored twice`)
  const gaps = one(
    'SELECT count(*) FROM (SELECT 1 FROM messages GROUP BY clientId HAVING max(seq) <> count(*) OR min(seq) <> 1)',
  )
  if (gaps !== 0) ledger.violation(`${gaps} conversations have gaps in the file`)
  const behind = one(
    `SELECT count(*) FROM conversations AS c
     WHERE seq <> (SELECT max(seq) FROM messages AS m WHERE m.clientId = c.clientId)
        OR visitorCount <> (SELECT count(*) FROM messages AS m WHERE m.clientId = c.clientId AND m.senderId = c.clientId)
        OR adminUnread <> (SELECT count(*) FROM messages AS m
                           WHERE m.clientId = c.clientId AND m.senderId = c.clientId AND m.seq > c.adminRead)`,
  )
  const note = db.prepare("SELECT n FROM activity WHERE clientId = ? AND nonce = ? AND kind = 'note'")
  for (const [nonce, { clientId, n }] of ledger.acknowledgedNotes) {
    const rows = note.all(clientId, nonce)
    if (rows.length !== 1 || rows[0]?.n !== n) {
      ledger.violation(`a note was acknowledged under ${n}, and is in the file: ${JSON.stringify(rows)}`)
    }
  }
  const halfDone = one(
    `SELECT count(*) FROM conversations AS c
     WHERE activityN <> (SELECT count(*) FROM activity AS a WHERE a.clientId = c.clientId)
        OR activityN <> (SELECT coalesce(max(n), 0) FROM activity AS a WHERE a.clientId = c.clientId)
        OR version <> (SELECT count(*) FROM activity AS a
                       WHERE a.clientId = c.clientId AND kind IN ('status', 'assignee', 'labels'))`,
  )
  if (halfDone !== 0) ledger.violation(`${halfDone} conversations do not agree with their logs in the file`)
  if (behind !== 0) ledger.violation(`${behind} conversations do not agree with their messages in the file`)
  db.close()
  rmSync(copyDir, { recursive: true })
  return unsent
}
