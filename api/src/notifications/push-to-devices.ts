import type { PushPayload } from '@proctorpass/shared/schemas/push'
import type { SubscriptionRecord, SubscriptionRepository } from '../storage/model/subscriptions.ts'
import type { Devices } from './devices.ts'
import type { SendPush } from './push-service.ts'

/** Pushes of one job under way at once. */
const AT_ONCE = 10
/** No further push of a run begins this long after the first: what changed meanwhile is looked at again. */
const BEGIN_WITHIN_MS = 20_000
const PAUSE_MS = 2_000
const PAUSE_MAX_MS = 10 * 60 * 1_000

/** What a job remembers of its pushes, by the id of the device. */
export interface Progress {
  /** The seq up to which the device was notified. */
  done: Record<string, number>
  /** Pushes that failed and are tried again. */
  failed: Record<string, { userId: string; attempts: number; dueAt: number }>
}

/** Tells of a note, or of messages whose newest one has this seq. */
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

/** It adds to `progress`: a node that dies between an answer and its saving leaves one push to be repeated. */
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
      // Other conversations leave it alone too: their pushes would wait as long for a service that hangs.
      if (!waits) await subscriptions.setRetryAt(_id, dueAt)
      return false
    }
    delete progress.failed[_id]
    progress.done[_id] = seq
    if (answer.outcome === 'gone') await subscriptions.remove(_id)
    return answer.outcome === 'gone'
  }

  /**
   * Pushes to the users' devices that were not notified of `since` yet, and saves after each answer. `devices` counts
   * the users' devices, without those that have unsubscribed. When `isOver` is false, time ran out: call it again.
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
          // One after another: a store could apply two at once in another order.
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

/** The users with failed pushes that are due again. */
export function failedBy({ failed }: Progress, now: number): string[] {
  return Object.values(failed)
    .filter(({ dueAt }) => dueAt <= now)
    .map(({ userId }) => userId)
}

/** Does not try again what failed for this user, except on these devices. */
export function forgetFailed(
  { failed }: Progress,
  userId: string,
  except: ReadonlySet<string> = new Set(),
): void {
  for (const [id, push] of Object.entries(failed)) {
    if (push.userId === userId && !except.has(id)) delete failed[id]
  }
}

/** When failed pushes are due again. */
export function attemptsOf({ failed }: Progress): number[] {
  return Object.values(failed).map(({ dueAt }) => dueAt)
}
