import type { Message } from '@proctorpass/shared/schemas/chat'
import type { Activity } from '@proctorpass/shared/schemas/inbox'
import type { Ledger } from './ledger.ts'
import type { readByRest } from './read-back.ts'

type Read = Awaited<ReturnType<typeof readByRest>>
type Entry = Extract<Activity, { kind: 'scheduled' }>

/** A message that an admin scheduled. Its words are unique, and so is its time. */
export interface SentLater {
  clientId: string
  nonce: string
  by: string
  /** As it was scheduled first. */
  sendAt: string
  anyway: boolean
  /** Each has the nonce in it. */
  words: string[]
  isStored: boolean
  isChanged: boolean
  /** Whether the cancel, or the command to send it now, was answered with success. */
  isCanceled: boolean
  isSent: boolean
}

/**
 * Each scheduled message must be sent once or canceled once, and never both: what its admin was told holds, and it never
 * stands behind a message that the visitor wrote after it was scheduled, unless it was to be sent anyway. Returns how many
 * were sent and canceled, and the longest delay in milliseconds.
 */
export function checkScheduled(ledger: Ledger, { conversations, logs, scheduled }: Read) {
  const tally = { sent: 0, canceled: 0, byVisitor: 0, latestMs: 0 }
  for (const left of scheduled) ledger.violation(`a message still waits: ${JSON.stringify(left)}`)
  for (const each of ledger.scheduled.values()) {
    const { clientId, nonce, sendAt, anyway, words } = each
    const wrong = (text: string) => ledger.violation(`scheduled ${text}: ${JSON.stringify(each)}`)
    const messages = conversations.get(clientId)?.messages ?? []
    const entries = (logs.get(clientId) ?? []).filter((entry): entry is Entry => entry.kind === 'scheduled')
    const message = messages.find((stored) => stored.nonce === nonce)
    const canceled = entries.filter(
      ({ data }) => data.action === 'canceled' && data.text !== undefined && words.includes(data.text),
    )
    const created = entries.filter(({ data }) => data.action === 'created' && data.sendAt === sendAt)
    if (created.length > 1) wrong(`${created.length} times`)
    if (canceled.length + (message ? 1 : 0) > 1) wrong(`and canceled ${canceled.length} times, and stored`)
    if (created.length === 0) {
      if (message || canceled.length > 0 || each.isStored) wrong('without an entry')
      continue
    }
    if (!message && canceled.length === 0) wrong('and lost')
    if (each.isCanceled && message) wrong('and stored after its cancel was answered')
    if (each.isSent && !message) wrong('and not stored after it was sent now')
    const visitorAfter = (from: number, to: number) =>
      messages.some(({ seq, senderId }) => senderId === clientId && seq > from && seq < to)
    const from = created[0]?.afterSeq ?? 0
    if (message) {
      tally.sent += 1
      checkSent(message, each, wrong)
      if (!anyway && visitorAfter(from, message.seq)) wrong('and stored behind the visitor')
      const hasTime = !each.isSent && !each.isChanged
      const lateMs = hasTime ? Date.parse(message.createdAt) - Date.parse(sendAt) : 0
      tally.latestMs = Math.max(tally.latestMs, lateMs)
    }
    for (const { afterSeq, data } of canceled) {
      tally.canceled += 1
      if (data.reason === 'visitor') tally.byVisitor += 1
      else if (data.reason !== 'admin') wrong(`and canceled as ${data.reason}`)
      const isByVisitor = messages[afterSeq - 1]?.senderId === clientId && afterSeq > from
      if (data.reason === 'visitor' && (anyway || !isByVisitor)) wrong('and canceled without the visitor')
    }
  }
  return tally
}

function checkSent({ message, senderId }: Message, each: SentLater, wrong: (text: string) => void): void {
  if (!each.words.includes(message)) wrong(`and stored as ${message}`)
  if (senderId !== each.by) wrong(`and stored as from ${senderId}`)
}
