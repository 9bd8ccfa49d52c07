import { suggestionPaths } from '@proctorpass/shared/suggestion-paths'
import { callApi } from '../../../lib/api.ts'
import { readStorage, writeStorage } from '../../../lib/browser-storage.ts'
import type { ConversationState } from '../../engine/types.ts'

/** In localStorage: the pages that were opened in the last half hour, each with the time by this browser's clock. */
const OPENED_KEY = 'chat:opened'
/** A message within this time says that the page did not answer. */
const FOLLOWS_MS = 30 * 60 * 1_000

/** Counts that the visitor opened a page: again only half an hour later, or after a message. */
export function countOpened(path: string): void {
  const opened = openedPages()
  if (opened.has(path)) return
  opened.set(path, Date.now())
  keep(opened)
  count(suggestionPaths.opened, path)
}

/**
 * Counts that a message followed the pages opened before it. Call it while the message is pending. The server subtracts these
 * from what was opened: most visitors who found their answer leave, and no report of theirs would come half an hour later.
 */
export function countAsked({ pending }: ConversationState): void {
  const typedAt = pending.at(-1)?.typedAt
  if (typedAt === undefined) return
  const opened = openedPages()
  const followed = [...opened].filter(([, at]) => at <= typedAt).map(([path]) => path)
  for (const path of followed) opened.delete(path)
  // First: other tabs see the message too.
  if (followed.length > 0) keep(opened)
  for (const path of followed) count(suggestionPaths.asked, path)
}

/** Failures are no concern of the visitor: a count is missing then. */
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
