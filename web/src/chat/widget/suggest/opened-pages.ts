import { suggestionPaths } from '@proctorpass/shared/suggestion-paths'
import { callApi } from '../../../lib/api.ts'
import { readStorage, writeStorage } from '../../../lib/browser-storage.ts'
import type { ConversationState } from '../../engine/types.ts'

/**
 * The localStorage key for the pages that were opened in the last half hour, each with its time by this browser's
 * clock.
 */
const OPENED_KEY = 'chat:opened'
/** A message within this time means that the page did not answer. */
const FOLLOWS_MS = 30 * 60 * 1_000

/** Counts that the visitor opened a page. The same page counts again only half an hour later, or after a message. */
export function countOpened(path: string): void {
  const opened = openedPages()
  if (opened.has(path)) return
  opened.set(path, Date.now())
  keep(opened)
  count(suggestionPaths.opened, path)
}

/**
 * Counts that a message followed the pages that were opened before it. Call this while the message is pending. The
 * server subtracts these pages from those that were opened, because most visitors who found their answer leave, and
 * could not report that half an hour later.
 */
export function countAsked({ pending }: ConversationState): void {
  const typedAt = pending.at(-1)?.typedAt
  if (typedAt === undefined) return
  const opened = openedPages()
  const followed = [...opened].filter(([, at]) => at <= typedAt).map(([path]) => path)
  for (const path of followed) opened.delete(path)
  // This comes first, because other tabs see the message too.
  if (followed.length > 0) keep(opened)
  for (const path of followed) count(suggestionPaths.asked, path)
}

/** Sends a count. A failure is no concern of the visitor, and only loses a count. */
function count(route: string, path: string): void {
  callApi(route, { method: 'POST', body: { path }, keepalive: true }).catch(() => {})
}

function openedPages(): Map<string, number> {
  try {
    const kept = Object.entries<number>(JSON.parse(readStorage(OPENED_KEY) ?? '{}'))
    return new Map(kept.filter(([, at]) => Date.now() - at < FOLLOWS_MS))
  } catch {
    return new Map()
  }
}

function keep(opened: ReadonlyMap<string, number>): void {
  writeStorage(OPENED_KEY, opened.size === 0 ? null : JSON.stringify(Object.fromEntries(opened)))
}
