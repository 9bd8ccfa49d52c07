import type { PushPayload } from '@proctorpass/shared/schemas/push'
import type { WorkerMessage, WorkerRequest } from '../lib/worker-messages.ts'

// This service worker shows notifications and opens the pages that they are about. It handles no fetch, so that it
// never stands between a page and the server.

declare const self: ServiceWorkerGlobalScope

const HOME = '/dashboard/chats'
const ICON = '/icon-192.png'
const BADGE = '/badge-96.png'
/** A tab that was frozen or crashed does not answer. */
const ANSWER_WITHIN_MS = 800

/**
 * The ID of the notification that was shown last, by tag. It is kept after the notification was dismissed, and lost
 * when the browser ends this worker.
 */
const shown = new Map<string, string>()

// Nothing is cached, so a new version needs no reload of the tabs.
self.addEventListener('install', () => void self.skipWaiting())

self.addEventListener('push', (event) => {
  event.waitUntil(show(payloadOf(event.data?.text() ?? '')))
})

self.addEventListener('message', (event) => {
  const request = event.data as WorkerRequest
  if (request.kind === 'show') event.waitUntil(show(request.payload))
  if (request.kind === 'close') event.waitUntil(close(request.tag))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(ownPath(event.notification.data?.url)))
})

self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renewSubscription(event as PushSubscriptionChangeEvent))
})

/**
 * Reads a push message. What cannot be read is announced without words, because a browser ends a subscription whose
 * push shows nothing.
 */
function payloadOf(text: string): PushPayload {
  let payload: Partial<Record<keyof PushPayload, unknown>> = {}
  try {
    payload = Object(JSON.parse(text))
  } catch {}
  const textOf = (value: unknown, otherwise: string) =>
    typeof value === 'string' && value !== '' ? value : otherwise
  return {
    title: textOf(payload.title, 'New message'),
    body: textOf(payload.body, 'A visitor is waiting'),
    tag: textOf(payload.tag, 'message'),
    url: textOf(payload.url, HOME),
    id: textOf(payload.id, text),
  }
}

/**
 * Replaces the notification with the same tag, and tells the tabs. It rings unless this notification was already shown.
 */
async function show({ title, body, tag, url, id }: PushPayload): Promise<void> {
  const [before] = await self.registration.getNotifications({ tag })
  const isRepeated = (before?.data?.id ?? shown.get(tag)) === id
  shown.set(tag, id)
  // TypeScript's types lack `renotify`.
  const options: NotificationOptions & { renotify: boolean } = {
    body,
    tag,
    icon: ICON,
    badge: BADGE,
    renotify: !isRepeated,
    silent: isRepeated,
    data: { url, id },
  }
  await self.registration.showNotification(title, options)
  for (const tab of await tabs()) post(tab, { kind: 'shown', id })
}

/**
 * Closes the conversation's notification, or every one if there is no tag. Pages leave this to the worker: Chromium
 * forgets a notification that a page lists while the worker shows it, and then nothing can close or click it.
 */
async function close(tag: string | undefined): Promise<void> {
  for (const notification of await self.registration.getNotifications(tag === undefined ? {} : { tag })) {
    notification.close()
  }
}

/** Returns the path of an address on this site, or the list of conversations for any other address. */
function ownPath(address: unknown): string {
  const url = URL.parse(String(address ?? HOME), self.location.origin)
  return url?.origin === self.location.origin ? url.pathname + url.search + url.hash : HOME
}

/** Opens the path in an open dashboard, without a reload, which could lose typed text. */
async function open(path: string): Promise<void> {
  const answers = await Promise.all((await tabs()).map(async (tab) => ({ tab, at: await whereIs(tab) })))
  const dashboards = answers.filter(({ at }) => at !== null)
  // The most recently focused tab comes first.
  const [{ tab } = { tab: undefined }] = [...dashboards.filter(({ at }) => at === path), ...dashboards]
  if (tab === undefined) {
    await self.clients.openWindow(path)
    return
  }
  post(tab, { kind: 'open', path })
  await tab.focus()
}

function tabs(): Promise<readonly WindowClient[]> {
  return self.clients.matchAll({ type: 'window', includeUncontrolled: true })
}

/**
 * Asks a tab for the dashboard page that it shows. Resolves with null if it shows none. A client's own address would
 * only be the one from which its document was loaded.
 */
function whereIs(tab: WindowClient): Promise<string | null> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = ({ data }) => resolve(String(data))
    setTimeout(() => resolve(null), ANSWER_WITHIN_MS)
    post(tab, { kind: 'where' }, [port2])
  })
}

function post(tab: WindowClient, message: WorkerMessage, transfer: Transferable[] = []): void {
  tab.postMessage(message, transfer)
}

/**
 * Subscribes again, and tells the tabs, which tell the server. Without a tab, the next visit does, because it finds
 * another endpoint than the server knows.
 */
async function renewSubscription({ oldSubscription, newSubscription }: PushSubscriptionChangeEvent) {
  const applicationServerKey = oldSubscription?.options.applicationServerKey
  if (!newSubscription && applicationServerKey) {
    await self.registration.pushManager
      .subscribe({ userVisibleOnly: true, applicationServerKey })
      .catch(() => {})
  }
  for (const tab of await tabs()) post(tab, { kind: 'subscription-changed' })
}
