import type { PushPayload } from '@proctorpass/shared/schemas/push'
import type { SubscriptionRecord, SubscriptionRepository } from '../storage/model/subscriptions.ts'
import type { Devices } from './devices.ts'
import type { SendPush } from './push-service.ts'

/** The number of one job's pushes that may be in flight at once. */
const AT_ONCE = 10
/** A run starts no further push this long after its first one. The next run then looks at what has changed. */
const BEGIN_WITHIN_MS = 20_000
const PAUSE_MS = 2_000
const PAUSE_MAX_MS = 10 * 60 * 1_000

/** What a job remembers about its pushes, by device ID. */
export interface Progress {
  /** The seq up to which the device was notified. */
  done: Record<string, number>
  /** Pushes that failed and will be retried. */
  failed: Record<string, { userId: string; attempts: number; dueAt: number }>
}

/** A notification about a note, or about messages, the newest of which has this seq. */
export interface Alert {
  seq: number
  payloadFor(device: { previews: boolean }): PushPayload
}

interface PushDeps {
  devices: Devices
  subscriptions: SubscriptionRepository
  send: SendPush
  now: () => number
}

/**
 * Creates a function that pushes to devices and adds to `progress`. A node that dies between an answer and saving it
 * causes one push to be repeated.
 */
export function createPushToDevices({ devices, subscriptions, send, now }: PushDeps) {
  /** Resolves to whether the device has unsubscribed. */
  async function pushTo(
    device: SubscriptionRecord,
    { seq, payloadFor }: Alert,
    progress: Progress,
  ): Promise<boolean> {
    const { _id, userId } = device
    const { attempts = 0 } = progress.failed[_id] ?? {}
    const waits = device.retryAt > now()
    const answer = waits
      ? ({ outcome: 'later', afterMs: device.retryAt - now() } as const)
      : await send(device, payloadFor(device))
    if (answer.outcome === 'later') {
      const pause = waits ? 0 : Math.min(PAUSE_MS * 2 ** attempts, PAUSE_MAX_MS)
      const dueAt = now() + Math.max(pause, answer.afterMs ?? 0)
      progress.failed[_id] = { userId, attempts: waits ? attempts : attempts + 1, dueAt }
      // Other conversations skip this device too, because their pushes would wait just as long for a service that
      // hangs.
      if (!waits) await subscriptions.setRetryAt(_id, dueAt)
      return false
    }
    delete progress.failed[_id]
    progress.done[_id] = seq
    if (answer.outcome === 'gone') await subscriptions.remove(_id)
    return answer.outcome === 'gone'
  }

  /**
   * Pushes to the users' devices that were not yet notified about `since`, and saves after each answer. `devices` is
   * the number of the users' devices, without those that have unsubscribed. If `isOver` is false, time ran out and the
   * caller must call it again.
   */
  async function pushToDevices({
    userIds,
    since,
    alert,
    progress,
    save,
  }: {
    userIds: readonly string[]
    since: number
    alert: Alert
    progress: Progress
    save: () => Promise<void>
  }): Promise<{ devices: number; isOver: boolean }> {
    const owned = (await Promise.all(userIds.map((userId) => devices.listOf(userId)))).flat()
    const ids = new Set(owned.map(({ _id }) => _id))
    for (const userId of userIds) forgetFailed(progress, userId, ids)
    const isDue = ({ _id }: SubscriptionRecord) => {
      if ((progress.done[_id] ?? 0) >= since) return false
      return (progress.failed[_id]?.dueAt ?? 0) <= now()
    }
    const due = owned.filter(isDue)
    const from = performance.now()
    let gone = 0
    let saving = Promise.resolve()
    let isOver = true
    for (let start = 0; start < due.length; start += AT_ONCE) {
      isOver = performance.now() - from < BEGIN_WITHIN_MS
      if (!isOver) break
      await Promise.all(
        due.slice(start, start + AT_ONCE).map(async (device) => {
          const isGone = await pushTo(device, alert, progress)
          if (isGone) gone += 1
          // The saves run one after another, because a store could apply two at once in a different order.
          saving = saving.then(save)
          await saving
        }),
      )
    }
    return { devices: owned.length - gone, isOver }
  }

  return pushToDevices
}

export type PushToDevices = ReturnType<typeof createPushToDevices>

/** Returns the users with failed pushes whose retry is due. */
export function failedBy({ failed }: Progress, now: number): string[] {
  return Object.values(failed)
    .filter(({ dueAt }) => dueAt <= now)
    .map(({ userId }) => userId)
}

/** Gives up this user's failed pushes, except those to the given devices. */
function forgetFailed({ failed }: Progress, userId: string, except: ReadonlySet<string>): void {
  for (const [id, push] of Object.entries(failed)) {
    if (push.userId === userId && !except.has(id)) delete failed[id]
  }
}

/**
 * Gives up the failed pushes that are due and that a run has not tried again. `before` is a copy of `failed` from the
 * run's start. Times would not tell, because a push that failed again can be due already, and clocks are set back.
 */
export function forgetUntried({ failed }: Progress, before: Progress['failed'], now: number): void {
  for (const [id, push] of Object.entries(before)) {
    if (failed[id] === push && push.dueAt <= now) delete failed[id]
  }
}

/** Returns when failed pushes are due again, in milliseconds since 1970. */
export function attemptsOf({ failed }: Progress): number[] {
  return Object.values(failed).map(({ dueAt }) => dueAt)
}
