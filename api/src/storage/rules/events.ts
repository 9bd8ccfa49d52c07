import type { EventType } from '@proctorpass/shared/schemas/event'
import type { ActivityKind } from '@proctorpass/shared/schemas/inbox'
import type { NewEvent } from '../port/events.ts'

const OF_ENTRIES: { readonly [K in ActivityKind]?: EventType } = {
  status: 'conversation.changed',
  assignee: 'conversation.changed',
  labels: 'conversation.changed',
  note: 'note.created',
  rating: 'rating.created',
}

interface OfConversation {
  _id: string
  clientId: string
}

/** The first message of a history also tells of its conversation. */
export function eventsOfMessage(message: OfConversation & { seq: number; createdAt: number }): NewEvent[] {
  const { _id, clientId, seq, createdAt } = message
  const types =
    seq === 1 ? (['conversation.created', 'message.created'] as const) : (['message.created'] as const)
  return types.map((type) => ({ _id: `${type} ${_id}`, type, at: createdAt, clientId, n: seq }))
}

export function hasEvent(kind: ActivityKind): boolean {
  return OF_ENTRIES[kind] !== undefined
}

export function eventsOfEntry(
  entry: OfConversation & { n: number; kind: ActivityKind; at: number },
): NewEvent[] {
  const { _id, clientId, n, kind, at } = entry
  const type = OF_ENTRIES[kind]
  return type === undefined ? [] : [{ _id: `${type} ${_id}`, type, at, clientId, n }]
}

/** `epoch`: of the history that follows. */
export function eventOfErase(clientId: string, epoch: string, at: number): NewEvent {
  return { _id: `conversation.erased ${epoch}`, type: 'conversation.erased', at, clientId, n: 0 }
}

export function eventOfRow(
  type: 'contact.created' | 'review.created',
  { _id, createdAt }: { _id: string; createdAt: number },
): NewEvent {
  return { _id: `${type} ${_id}`, type, at: createdAt, clientId: null, n: 0 }
}
