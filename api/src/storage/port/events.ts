import type { EventType } from '@proctorpass/shared/schemas/event'

/** An event names what it tells of; its words are read from there, so that erasing leaves none. */
export interface EventRecord {
  /** The type and the id of the message, entry, contact message or review: each has an event once. */
  _id: string
  /** The `id` of the event for programs: 1, 2, 3 … without a gap. */
  number: number
  type: EventType
  /** Milliseconds since 1970 UTC. */
  at: number
  clientId: string | null
  /** The seq of the message or the n of the entry; 0: neither. */
  n: number
}

/** The kinds of entries that have a number. */
export type NewEvent = Omit<EventRecord, 'number'>

export interface EventRepository {
  /**
   * From now on each change has its event, stored in the commit of the change. Before, nothing is stored. Resolves when
   * every node knows.
   */
  begin(): Promise<void>
  /** In order of their numbers, after this one. */
  after(number: number, limit: number): Promise<EventRecord[]>
  /** As `after`: of one conversation, or the next event if this is its `_id`. */
  afterOf(subject: string, number: number, limit: number): Promise<EventRecord[]>
  /** The numbers of the oldest and of the newest event; 0 without one. */
  bounds(): Promise<{ first: number; last: number }>
  /** Removes those before this time, except the newest: its number is the proof of all before. */
  prune(before: number): Promise<void>
}
