import { SPAM_DAYS } from '@proctorpass/shared/limits'
import { auditEntry } from '../audit/entry.ts'
import type { Jobs } from '../jobs/jobs.ts'
import type { SettingsUseCases } from '../settings/settings.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { Chat } from './chat.ts'

const KIND = 'retention'
const DAY_MS = 24 * 60 * 60 * 1_000
const EVERY_MS = 60 * 60 * 1_000
/** Every node knows changed settings within this time. */
const AFTER_CHANGE_MS = 2_000
/** The number of conversations that one run erases for each rule. */
const BATCH = 100
/** The longest time of one run, even if the conversations are long. */
const RUN_MS = 15_000

interface Deps {
  jobs: Pick<Jobs, 'handle' | 'scheduleLater'>
  settings: Pick<SettingsUseCases, 'current' | 'onChanged'>
  storage: Pick<Storage, 'conversations' | 'audit'>
  chat: Pick<Chat, 'eraseIdle'>
  now: () => number
}

/**
 * Erases conversations whose newest message is older than the settings allow, and old spam. The job never ends: one node
 * at a time looks once an hour, and erases in small batches. Returns the function that a node calls at its start.
 */
export function createRetention({ jobs, settings, storage, chat, now }: Deps): () => void {
  const { conversations } = storage
  const retentionDays = async () => (await settings.current()).retentionDays

  jobs.handle(KIND, async ({ now: at }) => {
    const deadline = performance.now() + RUN_MS
    /** Erases some of the conversations that have been idle for so many days. `mayGoOn` can end the run. */
    async function eraseOlder(days: number, isSpam: boolean, mayGoOn = async () => true) {
      const idleSince = at - days * DAY_MS
      const idle = await conversations[isSpam ? 'idleSpam' : 'idle'](idleSince, BATCH)
      let erased = 0
      for (const clientId of idle) {
        if (!(await mayGoOn()) || performance.now() > deadline) break
        // The write checks again, because a message may have arrived in the meantime.
        if (await chat.eraseIdle(clientId, idleSince, isSpam)) erased += 1
      }
      return { erased, isDone: idle.length < BATCH && erased === idle.length }
    }

    // Retention is also off while the settings cannot be read.
    const days = await retentionDays()
    const runs = [await eraseOlder(SPAM_DAYS, true)]
    if (days !== null) runs.push(await eraseOlder(days, false, async () => (await retentionDays()) === days))
    const erased = runs.reduce((sum, run) => sum + run.erased, 0)
    // The log gets one count for each run, because its entries must name no conversation.
    if (erased > 0) await storage.audit.append(auditEntry(null, 'retention.ran', { details: { erased } }))
    const isDone = runs.every((run) => run.isDone)
    return { dueAt: erased > 0 && !isDone ? now() : at + EVERY_MS, data: null }
  })

  const look = (dueAt: number) =>
    jobs.scheduleLater({ key: KIND, kind: KIND, clientId: null, dueAt, data: null })
  settings.onChanged(() => look(now() + AFTER_CHANGE_MS))
  return () => look(now())
}
