import type { CancelReason } from '@proctorpass/shared/schemas/inbox'
import { keyIdOf } from '@proctorpass/shared/schemas/key'
import type { DueMessages, ScheduledStored } from '../storage/model/conversation/scheduled.ts'
import type { ScheduledRecord } from '../storage/model/conversation/scheduled-records.ts'
import type { Storage } from '../storage/model/storage.ts'
import { isActiveAdmin } from '../storage/model/users.ts'
import type { SendScheduled } from './send.ts'

/** A message that is later than this is not sent. */
const LATE_MS = 60 * 60 * 1_000
/** The number of conversations that one look at the due messages reads, and of those it sends to at once. */
const DUE_MAX = 200
const AT_ONCE = 20

interface DueDeps {
  storage: Pick<Storage, 'inbox' | 'users' | 'apiKeys'>
  now: () => number
  sendScheduled: SendScheduled
  notifyStored: (clientId: string, stored: ScheduledStored) => void
}

/**
 * Returns a function that sends the scheduled messages whose time has come. Every node may call it at any time: the store
 * sends each message once.
 */
export function createSendDue({ storage, now, sendScheduled, notifyStored }: DueDeps): () => Promise<void> {
  const { inbox } = storage

  /** Returns why a due message is not sent, or null. */
  async function cancelReason(
    { by, sendAt, missed }: ScheduledRecord,
    status: DueMessages['status'],
    at: number,
  ): Promise<CancelReason | null> {
    if (missed || at - sendAt > LATE_MS) return 'late'
    if (status === 'spam') return 'spam'
    return (await isActiveSender(by, storage, at)) ? null : 'sender'
  }

  async function sendDueIn({ clientId, status, due }: DueMessages, at: number): Promise<void> {
    for (const record of due) {
      const reason = await cancelReason(record, status, at)
      if (reason === null) {
        await sendScheduled(clientId, record)
        continue
      }
      const { nonce, version } = record
      const canceled = await inbox.unschedule(clientId, nonce, { reason, by: null, at, version })
      if (canceled.outcome === 'stored') notifyStored(clientId, canceled)
    }
  }

  return async () => {
    for (;;) {
      const at = now()
      const found = await inbox.dueMessages(at, DUE_MAX)
      const results: PromiseSettledResult<void>[] = []
      for (let start = 0; start < found.length; start += AT_ONCE) {
        const part = found.slice(start, start + AT_ONCE)
        results.push(...(await Promise.allSettled(part.map((each) => sendDueIn(each, at)))))
      }
      const failed = results.find((result) => result.status === 'rejected')
      if (failed !== undefined) throw failed.reason
      if (found.length < DUE_MAX) return
    }
  }
}

/** Returns whether the admin or the API key may still send messages. */
export async function isActiveSender(
  by: string,
  { users, apiKeys }: Pick<Storage, 'users' | 'apiKeys'>,
  now: number,
): Promise<boolean> {
  const keyId = keyIdOf(by)
  if (keyId === null) {
    const user = await users.findById(by)
    return user !== null && isActiveAdmin(user)
  }
  const key = (await apiKeys.list()).find(({ _id }) => _id === keyId)
  return key !== undefined && (key.expiresAt ?? Infinity) > now
}
