import type { EndpointRecord, RetryRecord } from '../storage/model/endpoints.ts'
import type { EventRecord } from '../storage/model/events.ts'
import type { Storage } from '../storage/model/storage.ts'

/** One conversation's events that one step posts, in order. */
export interface Chain {
  subject: string
  events: EventRecord[]
}

export interface EventWalk {
  chains: Chain[]
  /** Each event up to this ID was posted or has a retry. */
  reached: number
  hasMore: boolean
  /** The retries that received more events, by subject. */
  held: ReadonlyMap<string, RetryRecord>
}

/** Walks along the log of events, and leaves events to a retry if their subject's retry holds them back. */
export function createEventWalk({ events, retries }: Pick<Storage, 'events' | 'retries'>) {
  /** Leaves events to their subject's retry. Resolves to null if there is no retry, or if it is for later events. */
  async function hold(_id: string, subject: string, found: EventRecord[]): Promise<RetryRecord | null> {
    for (;;) {
      const retry = await retries.find(_id, subject)
      if (retry === null || found.every(({ number }) => number < retry.event)) return null
      // The change keeps another run, which has seen no later event, from removing the retry.
      const changed = { ...retry, dueAt: retry.dueAt + 1 }
      if (await retries.settle(retry, changed)) return changed
    }
  }

  /** Reads the events from `after` to `to`. The chains contain those that no retry holds back. */
  return async (endpoint: EndpointRecord, after: number, to: number, limit: number): Promise<EventWalk> => {
    // What is up to the position was stored before the position. A new primary has it, although its other reads may lack
    // it, and a replay must not end before it.
    const records = await events.after(after, limit, to <= endpoint.after ? { fromPrimary: true } : {})
    const inRange = records.filter(({ number }) => number <= to)
    const bySubject = new Map<string, EventRecord[]>()
    for (const record of inRange) {
      if (!isWanted(endpoint, record)) continue
      const subject = subjectOf(record)
      bySubject.set(subject, [...(bySubject.get(subject) ?? []), record])
    }
    const chains: Chain[] = []
    const held = new Map<string, RetryRecord>()
    for (const [subject, found] of bySubject) {
      const retry = await hold(endpoint._id, subject, found)
      // A replay posts the events before the retry, which continues from there.
      const before = retry === null ? found : found.filter(({ number }) => number < retry.event)
      if (before.length > 0) chains.push({ subject, events: before })
      if (retry !== null) held.set(subject, retry)
    }
    const reached = inRange.at(-1)?.number ?? after
    return { chains, reached, hasMore: inRange.length === limit, held }
  }
}

export function isWanted({ types }: EndpointRecord, { type }: EventRecord): boolean {
  return types.length === 0 || types.includes(type)
}

/** Returns the subject whose events stay in order: a conversation, a contact message, or a review. */
function subjectOf({ clientId, _id }: EventRecord): string {
  return clientId ?? _id
}
