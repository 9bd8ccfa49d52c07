import { isDeepStrictEqual } from 'node:util'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { Ledger } from './ledger.ts'
import type { readByRest } from './read-back.ts'

const CHANGES: ReadonlySet<string> = new Set(['status', 'assignee', 'labels'])
export const isChange = ({ kind }: { kind: string }) => CHANGES.has(kind)

/** The seq of the newest message that resolving settled; 0 without one. */
export function settledSeq(log: Activity[]): number {
  return log.findLast((entry) => entry.kind === 'status' && entry.data.to === 'resolved')?.afterSeq ?? 0
}

/** Each conversation must be what its log says, and each note be stored once. */
export function checkLogs(
  ledger: Ledger,
  { summaries, conversations, logs }: Awaited<ReturnType<typeof readByRest>>,
): void {
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
    }
    const changes = log.filter(isChange)
    if (version !== changes.length) wrong(`version ${version} after ${changes.length} changes`)

    const is = { status: 'open', assigneeId: null as string | null, labels: new Set<string>() }
    for (const { kind, data, n } of log) {
      if (kind === 'status' || kind === 'assignee') {
        const before = kind === 'status' ? is.status : is.assigneeId
        if (data.from !== before) wrong(`entry ${n} changes ${data.from}, but it was ${before}`)
        Object.assign(is, { [kind === 'status' ? 'status' : 'assigneeId']: data.to })
      } else if (kind === 'labels') {
        for (const label of data.removed) is.labels.delete(label)
        for (const label of data.added) is.labels.add(label)
      }
    }
    if (status !== is.status || assigneeId !== is.assigneeId) {
      wrong(`it leads to ${JSON.stringify(is)}, but the list says ${status}, ${assigneeId}`)
    }
    if (!isDeepStrictEqual([...labels].sort(), [...is.labels].sort())) wrong(`the labels are ${labels}`)

    const messages = conversations.get(clientId)?.messages ?? []
    const asked = messages.findLast(({ senderId }) => senderId === clientId)?.seq ?? 0
    const statusThen = log.findLast((entry) => entry.kind === 'status' && entry.afterSeq < asked)
    const since = log.some((entry) => entry.kind === 'status' && entry.afterSeq >= asked)
    if (statusThen?.kind === 'status' && statusThen.data.to !== 'open' && !since) {
      wrong(`message ${asked} of the visitor did not reopen`)
    }
    const isAnswered = messages.some(({ senderId }) => senderId !== clientId)
    if (isAnswered && !changes.some(({ kind }) => kind === 'assignee')) {
      wrong('an answer did not assign the conversation')
    }
  }

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
