import type { InboxRepository } from '../inbox.ts'
import { unavailable } from './outage.ts'

/** Not stored on MongoDB yet: every call is refused. */
export function openInbox(): InboxRepository {
  const refuse = () => Promise.reject(unavailable())
  return {
    change: refuse,
    addNote: refuse,
    activity: refuse,
    counts: refuse,
    labels: refuse,
    dueSnoozes: async () => [],
  }
}
