import { isDeepStrictEqual } from 'node:util'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { AnsweredChange, Ledger } from './ledger.ts'
import type { readByRest } from './read-back.ts'

type Read = Awaited<ReturnType<typeof readByRest>>

const CHANGES: ReadonlySet<string> = new Set(['status', 'assignee', 'labels'])
export const isChange = ({ kind }: { kind: string }) => CHANGES.has(kind)

/** The seq of the newest message that resolving settled; 0 without one, and after an admin undid it. */
export function settledSeq(log: Activity[]): number {
  const last = log.findLast(
    ({ kind, by, data }) =>
      kind === 'status' && (data.to === 'resolved' || (data.from === 'resolved' && by !== null)),
  )
  return last?.kind === 'status' && last.data.to === 'resolved' ? last.afterSeq : 0
}

/** Each conversation must be what its log says, and each note be stored once. */
export function checkLogs(ledger: Ledger, { summaries, conversations, logs }: Read): void {
  const byText = new Map<string, Activity>()
  for (const { clientId, version, status, assigneeId, labels } of summaries) {
    const log = logs.get(clientId) ?? []
    const wrong = (text: string) => ledger.violation(`the log of ${clientId}: ${text}`)
    for (const [index, entry] of log.entries()) {
      if (entry.n !== index + 1) wrong(`number ${entry.n} is at place ${index + 1}`)
      if (entry.afterSeq < (log[index - 1]?.afterSeq ?? 0)) wrong(`afterSeq falls at ${entry.n}`)
      if (entry.kind !== 'note') continue
      if (byText.has(entry.data.text)) wrong(`a note is stored twice: ${entry.data.text}`)
      byText.set(entry.data.text, entry)
      const assigneeId = ledger.handovers.get(entry.data.text)
      const isTaken = stateAfter(log.slice(0, index).filter(isChange)).assigneeId === assigneeId
      const next = log[index + 1]
      if (assigneeId === undefined || isTaken) continue
      if (next?.kind !== 'assignee' || next.data.to !== assigneeId || next.at !== entry.at) {
        wrong(`behind the handover ${entry.n} is ${JSON.stringify(next)}`)
      }
    }
    const changes = log.filter(isChange)
    if (version !== changes.length) wrong(`version ${version} after ${changes.length} changes`)

    for (const [index, { kind, data, n }] of changes.entries()) {
      if (kind !== 'status' && kind !== 'assignee') continue
      const is = stateAfter(changes.slice(0, index))
      const before = kind === 'status' ? is.status : is.assigneeId
      if (data.from !== before) wrong(`entry ${n} changes ${data.from}, but it was ${before}`)
    }
    const is = stateAfter(changes)
    const listed = { status, assigneeId, labels: [...labels].sort() }
    if (!isDeepStrictEqual(is, listed)) {
      wrong(`it leads to ${JSON.stringify(is)}, but the list says ${JSON.stringify(listed)}`)
    }

    const messages = conversations.get(clientId)?.messages ?? []
    const byVisitor = messages.filter(({ senderId }) => senderId === clientId).map(({ seq }) => seq)
    const statuses = log.filter((entry) => entry.kind === 'status')
    for (const seq of byVisitor) {
      const before = statuses.findLast(({ afterSeq }) => afterSeq < seq)?.data.to ?? 'open'
      const next = statuses.find(({ afterSeq }) => afterSeq >= seq)?.data.to
      if (before !== 'open' && next !== 'open') wrong(`message ${seq} of the visitor did not reopen`)
    }
    for (const [index, { data, by, at, afterSeq, n }] of statuses.entries()) {
      if (by !== null || data.from !== 'snoozed') continue
      const snoozed = statuses[index - 1] as (typeof statuses)[number]
      const wrote = byVisitor.some((seq) => seq > snoozed.afterSeq && seq <= afterSeq)
      if (!wrote && at < (snoozed.data.until ?? '')) wrong(`entry ${n} ended a snooze too early`)
    }
    let toRate = 0
    for (const { kind, data, n } of log) {
      if (kind === 'status') toRate = data.to === 'resolved' ? 1 : 0
      if (kind !== 'rating') continue
      const sent = ledger.ratings.get(data.words ?? '')
      if (sent?.clientId !== clientId || sent.score !== data.score) wrong(`entry ${n} is an unknown rating`)
      toRate -= 1
      if (toRate < 0) wrong(`entry ${n} is a rating that was not open`)
    }
    const isAnswered = messages.some(({ senderId }) => senderId !== clientId)
    if (isAnswered && !changes.some(({ kind }) => kind === 'assignee')) {
      wrong('an answer did not assign the conversation')
    }
  }

  for (const [words, { clientId, isStored }] of ledger.ratings) {
    const log = logs.get(clientId) ?? []
    if (isStored && !log.some((entry) => entry.kind === 'rating' && entry.data.words === words)) {
      ledger.violation(`a rating was acknowledged and lost: ${words}`)
    }
  }
  checkStatuses(ledger, conversations, logs)
  checkEdits(ledger, conversations, logs)
  for (const answered of ledger.changes) checkChange(ledger, answered, logs.get(answered.clientId) ?? [])
  for (const [nonce, note] of ledger.acknowledgedNotes) {
    const stored = byText.get(ledger.notes.get(nonce) ?? '')
    if (!isDeepStrictEqual(stored, note)) {
      ledger.violation(`a note was acknowledged as another: ${JSON.stringify([note, stored])}`)
    }
  }
  const sent = new Set(ledger.notes.values())
  for (const text of byText.keys()) {
    if (!sent.has(text)) ledger.violation(`a note is stored that was not sent: ${text}`)
  }
}

/** Each stored message with a status must have given it once, in the entry behind itself, and no other message. */
function checkStatuses(ledger: Ledger, conversations: Read['conversations'], logs: Read['logs']): void {
  const stored = new Map<string, Message>()
  for (const { messages } of conversations.values()) {
    for (const message of messages) stored.set(message.nonce, message)
  }
  const resolves = new Map(ledger.resolves)
  const mayResolve = (id: string) => resolves.set(id, (resolves.get(id) ?? 0) + 1)
  for (const { clientId, nonce, then, senderId } of ledger.typed) {
    if (then === undefined) continue
    const wrong = (text: string) =>
      ledger.violation(`${clientId}: ${text}: ${JSON.stringify({ nonce, then, seq: message?.seq })}`)
    const message = stored.get(nonce)
    const log = (logs.get(clientId) ?? []).filter((entry) => entry.kind === 'status')
    if (then.status === 'resolved') mayResolve(clientId)
    const { snoozedUntil } = then
    const snoozes = log.filter(({ data }) => snoozedUntil != null && data.until === snoozedUntil)
    if (message === undefined) {
      if (snoozes.length > 0) wrong('a message gave its status and is not stored')
      continue
    }
    const before = log.findLast(({ afterSeq }) => afterSeq < message.seq)?.data.to ?? 'open'
    const behind = log.find(({ afterSeq }) => afterSeq === message.seq)
    const isResolved = then.status === 'resolved' && before === 'resolved'
    if (!isResolved && (behind?.data.to !== then.status || behind.by !== senderId)) {
      wrong(`behind the message is ${JSON.stringify(behind)}`)
    }
    if (then.status === 'snoozed' && (snoozes.length !== 1 || snoozes[0] !== behind)) {
      wrong(`the message snoozed ${snoozes.length} times`)
    }
  }
  for (const [clientId, log] of logs) {
    const resolved = log.filter(({ kind, data }) => kind === 'status' && data.to === 'resolved').length
    const asked = resolves.get(clientId) ?? 0
    if (resolved > asked) ledger.violation(`${clientId} was resolved ${resolved} times, and asked ${asked}`)
  }
}

/** What these changes lead to. */
function stateAfter(changes: Activity[]) {
  let status: string = 'open'
  let assigneeId: string | null = null
  const labels = new Set<string>()
  for (const { kind, data } of changes) {
    if (kind === 'status') status = data.to
    else if (kind === 'assignee') assigneeId = data.to
    else if (kind === 'labels') {
      for (const label of data.removed) labels.delete(label)
      for (const label of data.added) labels.add(label)
    }
  }
  return { status, assigneeId, labels: [...labels].sort() }
}

/** Each change has one entry and one version, so an answer must be what the log says of its version. */
function checkChange(
  ledger: Ledger,
  { clientId, change, version, by, answer }: AnsweredChange,
  log: Activity[],
): void {
  const wrong = (text: string) =>
    ledger.violation(`${clientId}: ${text}: ${JSON.stringify({ change, version, answer })}`)
  const changes = log.filter(isChange)
  if (answer === 'stale') {
    if (version === undefined || version >= changes.length) wrong('a change was refused that is not stale')
    return
  }
  const { status, assigneeId, labels } = answer
  const answered = { status, assigneeId, labels: [...labels].sort() }
  const wanted = change.labels && [...new Set(change.labels)].sort()
  if (!isDeepStrictEqual(stateAfter(changes.slice(0, answer.version)), answered)) {
    wrong('a change was answered with what its version never was')
  }
  const hasEffect =
    (change.status ?? status) === status &&
    (change.assigneeId === undefined || change.assigneeId === assigneeId) &&
    (change.snoozedUntil ?? answer.snoozedUntil) === answer.snoozedUntil &&
    isDeepStrictEqual(wanted ?? answered.labels, answered.labels)
  if (!hasEffect) wrong('a change was answered as another')
  if (version === undefined || answer.version === version) return
  if (answer.version !== version + 1 || changes[version]?.by !== by) wrong('a stale change was stored')
}

/** Corrections must be numbered without gaps, each must follow the words before it, and each must be stored once. */
function checkEdits(ledger: Ledger, conversations: Read['conversations'], logs: Read['logs']): void {
  const typed = new Map(ledger.typed.map(({ nonce, message }) => [nonce, message]))
  const given = new Map<string, number>()
  for (const [clientId, log] of logs) {
    const wrong = (text: string) => ledger.violation(`the corrections of ${clientId}: ${text}`)
    const { messages = [], page } = conversations.get(clientId) ?? {}
    const entries = log.filter((entry) => entry.kind === 'edit')
    if ((page?.edit ?? 0) !== entries.length)
      wrong(`${entries.length} entries, and the page says ${page?.edit}`)
    for (const [index, { data }] of entries.entries()) {
      if (data.edit !== index + 1) wrong(`number ${data.edit} is at place ${index + 1}`)
    }
    for (const { seq, nonce, message, edit } of messages) {
      const own = entries.filter(({ data }) => data.seq === seq)
      if (edit !== own.at(-1)?.data.edit) wrong(`message ${seq} has ${edit} of ${own.at(-1)?.data.edit}`)
      const words = [...own.map(({ data }) => data.text), message]
      if (typed.has(nonce) && words[0] !== typed.get(nonce)) wrong(`message ${seq} began as ${words[0]}`)
      for (const text of words.slice(1)) {
        given.set(text, (given.get(text) ?? 0) + 1)
        if (ledger.edits.get(text)?.nonce !== nonce) wrong(`message ${seq} has unknown words: ${text}`)
      }
    }
  }
  for (const [text, { isStored }] of ledger.edits) {
    const times = given.get(text) ?? 0
    if (times > 1 || (isStored && times === 0))
      ledger.violation(`a correction is stored ${times} times: ${text}`)
  }
}
