import type { Activity } from '@proctorpass/shared/schemas/inbox'

type Change = Exclude<Activity, { kind: 'note' }>

interface Words {
  /** The visitor's name. */
  visitor: string
  /** Returns an admin's name, or "You" for the reader. */
  nameOf: (userId: string) => string
  userId: string
  /** Formats a time, such as a snooze's end. */
  timeOf: (iso: string) => string
}

const FIELDS: Record<string, string> = { name: 'name', email: 'email', examAt: 'exam time' }

/**
 * Describes a change in one sentence. `before` is the previous entry about the status, if it is known. It shows whether
 * a snooze ended or a message reopened the conversation.
 */
export function changeWords(entry: Change, before: Activity | undefined, words: Words): string {
  const actor = entry.by === null ? null : words.nameOf(entry.by)
  switch (entry.kind) {
    case 'status':
      return statusWords(entry, actor, before, words)
    case 'assignee':
      return assigneeWords(entry, actor, words)
    case 'labels': {
      const { added, removed } = entry.data
      const parts = [
        ...(added.length > 0 ? [`added ${inWords(added)}`] : []),
        ...(removed.length > 0 ? [`removed ${inWords(removed)}`] : []),
      ]
      return `${actor ?? 'The system'} ${parts.join(' and ')}`
    }
    case 'settled':
      return entry.data.upTo === null
        ? `${actor ?? 'The system'} decided that this still needs an answer`
        : `${actor ?? 'The system'} decided that this needs no answer`
    case 'scheduled':
      return scheduledWords(entry.data, actor, words)
    case 'edit':
      return `${actor ?? 'The system'} edited a message. Before: “${entry.data.text}”`
    case 'block': {
      const { until } = entry.data
      if (until === null) return `${actor ?? 'The system'} unblocked the visitor`
      const end = until === 'forever' ? '' : ` until ${words.timeOf(until)}`
      return `${actor ?? 'The system'} blocked the visitor${end}`
    }
    case 'profile': {
      const fields = inWords(entry.data.fields.map((field) => FIELDS[field] ?? field))
      return actor === null
        ? `${words.visitor} shared their ${fields}`
        : `${actor} changed the visitor's ${fields}`
    }
    case 'rating': {
      const { score, words: said } = entry.data
      return `${words.visitor} rated this ${score} of 5${said === null ? '' : `: “${said}”`}`
    }
    case 'identity':
      return `The website identified the visitor as ${entry.data.sub}`
    case 'mail':
      if ('leftOut' in entry.data && entry.data.leftOut) return leftOutWords(entry.data.leftOut)
      // The other mails have their own rows.
      return 'failed' in entry.data && entry.data.failed
        ? "An email to the visitor couldn't be delivered"
        : 'The visitor got an email'
  }
}

/** Names the files that came with an email and could not be stored. */
export function leftOutWords(names: readonly string[]): string {
  return `Files left out: ${names.join(', ')}`
}

function statusWords(
  { at, data: { from, to, until } }: Extract<Activity, { kind: 'status' }>,
  actor: string | null,
  before: Activity | undefined,
  { timeOf }: Words,
): string {
  if (to === 'spam') return `${actor ?? 'The system'} marked this as spam`
  if (from === 'spam') return `${actor ?? 'The system'} marked this as not spam`
  if (to === 'resolved') return `${actor ?? 'The system'} resolved this`
  if (to === 'snoozed') {
    const end = until === undefined ? '' : ` until ${timeOf(until)}`
    return `${actor ?? 'The system'} snoozed this${end}`
  }
  if (actor !== null) return from === 'snoozed' ? `${actor} ended the snooze` : `${actor} reopened this`
  const snoozedUntil = before?.kind === 'status' ? before.data.until : undefined
  const isOver =
    from === 'snoozed' && snoozedUntil !== undefined && Date.parse(snoozedUntil) <= Date.parse(at)
  return isOver ? 'Snooze ended' : 'Reopened by a new message'
}

function scheduledWords(
  { action, sendAt, reason, text }: Extract<Activity, { kind: 'scheduled' }>['data'],
  actor: string | null,
  { visitor, timeOf }: Words,
): string {
  const time = timeOf(sendAt)
  if (action === 'created') return `${actor ?? 'The system'} scheduled a message for ${time}`
  if (action === 'changed') return `${actor ?? 'The system'} changed the message scheduled for ${time}`
  const said = text ? `: “${text}”` : ''
  if (reason === 'visitor') {
    return `${visitor} wrote first, so the message scheduled for ${time} was canceled${said}`
  }
  if (reason === 'admin') return `${actor ?? 'The system'} canceled the message scheduled for ${time}${said}`
  const why = { late: 'it was too late', spam: 'this was spam', sender: 'its sender was disabled' }
  const because = reason === undefined ? '' : `, because ${why[reason]}`
  return `The message scheduled for ${time} was not sent${because}${said}`
}

function assigneeWords(
  { by, data: { from, to } }: Extract<Activity, { kind: 'assignee' }>,
  actor: string | null,
  { nameOf, userId }: Words,
): string {
  const admin = (id: string) => (id === userId ? 'you' : nameOf(id))
  if (to === null) {
    if (from === null || from === by) return `${actor ?? 'The system'} unassigned this conversation`
    return `${actor ?? 'The system'} unassigned ${admin(from)}`
  }
  if (to === by) return `${nameOf(to)} took this conversation`
  return actor === null ? `Assigned to ${admin(to)}` : `${actor} assigned this to ${admin(to)}`
}

const list = new Intl.ListFormat('en', { type: 'conjunction' })
const inWords = (words: readonly string[]) => list.format(words)
