import { accountPaths } from '@proctorpass/shared/account-paths'
import { deviceOf } from '@proctorpass/shared/device'
import type {
  PushDeviceList,
  PushKey,
  SubscribedPush,
  SubscribePush,
  UnsubscribePush,
} from '@proctorpass/shared/schemas/push'
import { queryOptions } from '@tanstack/react-query'
import {
  choose,
  endPush,
  pushEndpoint,
  setPushEndpoint,
  useNotificationChoices,
} from '../../lib/notification-choices.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { activeWorker } from './worker.ts'

/** Reads the admin's browsers that receive Web Push. */
export const devicesQuery = queryOptions({
  queryKey: ['push-devices'],
  queryFn: ({ signal }) => callAsAdmin<PushDeviceList>(accountPaths.push, { signal }),
})

/** Subscribes this browser, or sends its subscription to the server again. */
export async function subscribe(userId: string): Promise<void> {
  const known = pushEndpoint()
  const { pushManager } = await activeWorker()
  const { key } = await callAsAdmin<PushKey>(accountPaths.pushKey)
  let subscription = await pushManager.getSubscription()
  if (subscription && !isFor(subscription, key)) {
    await subscription.unsubscribe()
    subscription = null
  }
  subscription ??= await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: key })
  try {
    await callAsAdmin<SubscribedPush>(accountPaths.push, {
      method: 'POST',
      body: {
        subscription: subscription.toJSON() as SubscribePush['subscription'],
        label: deviceOf(navigator.userAgent) ?? 'Browser',
        previews: useNotificationChoices.getState().previews,
      } satisfies SubscribePush,
    })
  } catch (error) {
    // If the server does not know the subscription, push would only seem to work.
    if (known !== subscription.endpoint) await subscription.unsubscribe()
    throw error
  }
  setPushEndpoint(subscription.endpoint)
  choose({ push: userId })
  if (known !== null && known !== subscription.endpoint) await forget({ endpoint: known }).catch(() => {})
}

export async function unsubscribe(): Promise<void> {
  const endpoint = pushEndpoint()
  await endPush()
  if (endpoint !== null) await forget({ endpoint })
}

/** Removes a device on the server. */
export function forget(body: UnsubscribePush): Promise<void> {
  return callAsAdmin(accountPaths.push, { method: 'DELETE', body })
}

/**
 * Makes this browser and the server agree during a visit. Resolves with false if this browser's push has ended, because
 * the subscription belongs to another admin, the permission is gone, or the device was removed.
 */
export async function renewSubscription(userId: string): Promise<boolean> {
  if (useNotificationChoices.getState().push !== userId || Notification.permission !== 'granted') {
    await endPush()
    return false
  }
  const { pushManager } = await activeWorker()
  const subscription = await pushManager.getSubscription()
  const { key } = await callAsAdmin<PushKey>(accountPaths.pushKey)
  if (subscription === null || subscription.endpoint !== pushEndpoint() || !isFor(subscription, key)) {
    await subscribe(userId)
    return true
  }
  const { devices } = await callAsAdmin<PushDeviceList>(accountPaths.push)
  if (devices.some(({ current }) => current)) return true
  await endPush()
  return false
}

/** Returns whether a subscription was made for the key. A restored store may have another key. */
function isFor({ options }: PushSubscription, key: string): boolean {
  const bytes = new Uint8Array(options.applicationServerKey ?? [])
  const text = btoa(String.fromCharCode(...bytes))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') === key
}
