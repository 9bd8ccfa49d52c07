import type { PushPayload } from '@proctorpass/shared/schemas/push'
import type { ShowRequest, WorkerMessage } from '../lib/worker-messages.ts'

// Shows notifications and opens what they are about. It handles no fetch, so that it never stands between a page and
// the server.

declare const self: ServiceWorkerGlobalScope

const HOME = '/dashboard/chats'
const ICON = '/icon-192.png'
const BADGE = '/badge-96.png'
/** A tab that was frozen or crashed does not answer. */
const ANSWER_WITHIN_MS = 800

/** By tag: the notification that was shown last, also after it was dismissed. Lost when the browser ends this worker. */
const shown = new Map<string, string>()

// Nothing is cached: a new version needs no reload of the tabs.
self.addEventListener('install', () => void self.skipWaiting())

self.addEventListener('push', (event) => {
  const payload = payloadOf(event.data?.text() ?? '')
  event.waitUntil(
    show(payload).then(async () => {
      for (const tab of await tabs()) post(tab, { kind: 'shown', id: payload.id })
    }),
  )
})

self.addEventListener('message', (event) => {
  const { kind, payload } = event.data as ShowRequest
  if (kind === 'show') event.waitUntil(show(payload))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(ownPath(event.notification.data?.url)))
})

self.addEventListener('pushsubscriptionchange', (event) => {
  event.waitUntil(renewSubscription(event as PushSubscriptionChangeEvent))
})

/** A browser ends a subscription whose push shows nothing: what cannot be read is announced without words. */
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

/** Replaces the notification with the same tag, and rings unless this very one was shown already. */
async function show({ title, body, tag, url, id }: PushPayload): Promise<void> {
  const [before] = await self.registration.getNotifications({ tag })
  const isRepeated = (before?.data?.id ?? shown.get(tag)) === id
  shown.set(tag, id)
  // `renotify` is missing in TypeScript's types.
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
}

/** The path of an address of this site; of any other the list of conversations. */
function ownPath(address: unknown): string {
  const url = URL.parse(String(address ?? HOME), self.location.origin)
  return url?.origin === self.location.origin ? url.pathname + url.search + url.hash : HOME
}

/** Goes there in a dashboard that is open, without a reload, which could lose typed text. */
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
 * The page that a dashboard shows; null when it is none. Asked, because the address of a client is the one that its
 * document was loaded from.
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

/** Tabs tell the server; without one the next visit does, which finds another endpoint than the server knows. */
async function renewSubscription({ oldSubscription, newSubscription }: PushSubscriptionChangeEvent) {
  const applicationServerKey = oldSubscription?.options.applicationServerKey
  if (!newSubscription && applicationServerKey) {
    await self.registration.pushManager
      .subscribe({ userVisibleOnly: true, applicationServerKey })
      .catch(() => {})
  }
  for (const tab of await tabs()) post(tab, { kind: 'subscription-changed' })
}
