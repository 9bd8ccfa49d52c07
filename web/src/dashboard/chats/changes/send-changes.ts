import { adminPaths } from '@proctorpass/shared/admin-paths'
import { AppError } from '@proctorpass/shared/errors'
import { BULK_MAX } from '@proctorpass/shared/limits'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { BulkChange, BulkChanged, ConversationChange } from '@proctorpass/shared/schemas/inbox'
import { serverNow } from '../../../lib/server-clock.ts'
import { callAsAdmin } from '../../../lib/session.ts'
import { reverse } from './inbox-changes.ts'

interface Change {
  before: ConversationSummary
  change: ConversationChange
}

/** A stored change, which the admin can undo. */
export interface Done extends Change {
  /** The version that the change created. */
  version: number
}

interface Sent {
  done: Done[]
  /** The summaries that the server returned. */
  stored: ConversationSummary[]
  /** The number of conversations that no longer exist. */
  missing: number
  /** Why the other changes were not stored. */
  error: unknown
}

/** An undo changes each conversation with its own call, this many in parallel. */
const PARALLEL = 4
const RETRIES_MAX = 5

/** Sends one conversation's change with its version. Changes to several conversations apply to any version. */
export function sendChanges(changes: readonly Change[]): Promise<Sent> {
  const [only] = changes
  return only && changes.length === 1 ? sendOne(only) : sendMany(changes)
}

async function sendOne({ before, change }: Change): Promise<Sent> {
  try {
    const summary = await patch(before.clientId, change, before.version)
    const { version } = summary
    const done = version === before.version ? [] : [{ before, change, version }]
    return { done, stored: [summary], missing: 0, error: null }
  } catch (error) {
    return { done: [], stored: [], missing: 0, error }
  }
}

async function sendMany(changes: readonly Change[]): Promise<Sent> {
  const sent: Sent = { done: [], stored: [], missing: 0, error: null }
  const sameChange = Map.groupBy(changes, ({ change }) => JSON.stringify(change))
  for (const group of sameChange.values()) {
    for (let from = 0; from < group.length; from += BULK_MAX) {
      const part = group.slice(from, from + BULK_MAX)
      const body: BulkChange = {
        clientIds: part.map(({ before }) => before.clientId),
        change: part[0]?.change ?? {},
      }
      try {
        const { missing, stored, failed } = await retried(() =>
          callAsAdmin<BulkChanged>(adminPaths.chatBulk, { method: 'POST', body }),
        )
        sent.missing += missing
        const versions = new Map(stored?.map(({ clientId, version }) => [clientId, version]))
        for (const { before, change } of part) {
          const version = versions.get(before.clientId)
          if (version !== undefined) sent.done.push({ before, change, version })
        }
        if (failed) return { ...sent, error: new AppError('unavailable', notSaved(failed.length)) }
      } catch (error) {
        return { ...sent, error }
      }
    }
  }
  return sent
}

/** Restores the previous values, except in conversations that have changed since. */
export async function takeBack(done: readonly Done[]): Promise<{
  restored: ConversationSummary[]
  changedSince: number
  error: unknown
}> {
  const restored: ConversationSummary[] = []
  let changedSince = 0
  let error: unknown = null
  const waiting = [...done]
  async function work(): Promise<void> {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const { before, change, version } = next
      try {
        restored.push(
          await retried(() => patch(before.clientId, reverse(before, change, serverNow()), version)),
        )
      } catch (cause) {
        if (cause instanceof AppError && ['conflict', 'not-found'].includes(cause.code)) changedSince += 1
        else error = cause
      }
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
  return { restored, changedSince, error }
}

function patch(clientId: string, change: ConversationChange, version: number): Promise<ConversationSummary> {
  return callAsAdmin(adminPaths.adminConversation(clientId), {
    method: 'PATCH',
    body: { ...change, version },
  })
}

/** If many changes exceed a rate limit, waits as long as the server says. */
async function retried<T>(call: () => Promise<T>): Promise<T> {
  for (let retry = 1; ; retry += 1) {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== 'rate-limited' || retry > RETRIES_MAX) throw error
      await new Promise((resolve) => setTimeout(resolve, error.retryAfterMs ?? 1_000))
    }
  }
}

function notSaved(count: number): string {
  return `Couldn't change ${count === 1 ? '1 conversation' : `${count} conversations`}. Try again.`
}
