import { create } from 'zustand'
import { PUSH_ENDPOINT_KEY, readStorage, writeStorage } from './browser-storage.ts'
import type { WorkerRequest } from './worker-messages.ts'

/** The choices for this browser, which all its tabs share. */
interface NotificationChoices {
  /** The admin whose Web Push this browser receives. */
  push: string | null
  /** The admin who gets desktop notifications from this browser's open tabs. */
  desktop: string | null
  /** Whether notifications show the visitor's words. */
  previews: boolean
}

const KEY = 'notifications'
const NONE: NotificationChoices = { push: null, desktop: null, previews: false }

export const useNotificationChoices = create(read)

export function choose(change: Partial<NotificationChoices>): void {
  writeStorage(KEY, JSON.stringify({ ...read(), ...change }))
  useNotificationChoices.setState(change)
}

function read(): NotificationChoices {
  try {
    return { ...NONE, ...JSON.parse(readStorage(KEY) ?? '{}') }
  } catch {
    return NONE
  }
}

if (typeof window !== 'undefined') {
  window.addEventListener('storage', ({ key }) => {
    if (key === KEY) useNotificationChoices.setState(read())
  })
}

/**
 * Returns the endpoint that the server knows. It is null after a sign-in, because subscriptions end with their session.
 */
export const pushEndpoint = (): string | null => readStorage(PUSH_ENDPOINT_KEY)

export const setPushEndpoint = (endpoint: string | null): void => writeStorage(PUSH_ENDPOINT_KEY, endpoint)

/** Ends Web Push in this browser, even if the server cannot be reached, and closes open notifications. */
export async function endPush(): Promise<void> {
  choose({ push: null })
  setPushEndpoint(null)
  const registration = await navigator.serviceWorker?.getRegistration()
  registration?.active?.postMessage({ kind: 'close' } satisfies WorkerRequest)
  const subscription = await registration?.pushManager?.getSubscription()
  await subscription?.unsubscribe()
}
