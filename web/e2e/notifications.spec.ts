import { writeFileSync } from 'node:fs'
import type { Page, Worker } from '@playwright/test'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { PushDeviceList } from '@proctorpass/shared/schemas/push'
import { type PushService, startPushService } from '../../api/test/push-service.ts'
import { violations } from './axe.ts'
import { Admin } from './people.ts'
import { open } from './site.ts'
import { test as base, expect, someClientId } from './test.ts'

interface Fixtures {
  /** Receives the pushes of the server. */
  service: PushService
  /** The admin, in a browser that can subscribe at it. */
  pushed: Page
}

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the form that Playwright requires
  service: async ({}, use) => {
    const service = await startPushService()
    await use(service)
    await service.close()
  },
  pushed: async ({ admin, service }, use) => {
    const { page } = admin
    const subscriptions = ['first', 'second', 'third'].map((name) => service.device(name).subscription)
    await page.context().grantPermissions(['notifications'])
    await page.context().addInitScript(subscribeAt, subscriptions)
    await page.reload()
    await use(page)
  },
})

const pushTest = test.extend({
  env: async ({ service }, use, info) => {
    const certificate = info.outputPath('push-service.pem')
    writeFileSync(certificate, service.cert)
    await use({ PUSH_HOSTS: service.host, NODE_EXTRA_CA_CERTS: certificate })
  },
})

/** In the page: headless Chromium reaches no push service of its own. Each call to subscribe takes the next one. */
function subscribeAt(subscriptions: { endpoint: string }[]): void {
  const toBytes = (text: string) =>
    Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0)).buffer
  const current = () => {
    const { index, key } = JSON.parse(localStorage.getItem('subscribed') ?? '{}')
    const subscription = subscriptions[index]
    return subscription === undefined
      ? null
      : {
          ...subscription,
          options: { applicationServerKey: toBytes(key) },
          toJSON: () => subscription,
          async unsubscribe() {
            localStorage.removeItem('subscribed')
            return true
          },
        }
  }
  Object.assign(PushManager.prototype, {
    getSubscription: async () => current(),
    subscribe: async ({ applicationServerKey: key }: { applicationServerKey: string }) => {
      const index = Number(localStorage.getItem('subscribedTimes'))
      localStorage.setItem('subscribedTimes', String(index + 1))
      localStorage.setItem('subscribed', JSON.stringify({ index, key }))
      return current()
    },
  })
  const ask = Notification.requestPermission.bind(Notification)
  Notification.requestPermission = async () => {
    localStorage.setItem('asked', 'true')
    return ask()
  }
}

const manifestLink = (page: Page) => page.locator('link[rel="manifest"]')

/** Why Chromium would not install the page, by the manifest that the page links now. */
async function installability(page: Page): Promise<{ manifest: Record<string, unknown>; errors: string[] }> {
  const cdp = await page.context().newCDPSession(page)
  const { data = '{}' } = await cdp.send('Page.getAppManifest')
  const { installabilityErrors } = await cdp.send('Page.getInstallabilityErrors')
  await cdp.detach()
  return { manifest: JSON.parse(data), errors: installabilityErrors.map(({ errorId }) => errorId) }
}

test('the dashboard can be installed, and the public site cannot', async ({ page, product }) => {
  await page.goto(product.url('/dashboard/chats'))
  await expect(page.getByRole('heading', { name: 'Admin area' })).toBeVisible()
  await expect(manifestLink(page)).toHaveAttribute('href', '/dashboard.webmanifest')
  const dashboard = await installability(page)
  expect(dashboard.manifest).toMatchObject({ start_url: '/dashboard/chats', display: 'standalone' })
  // Headless Chromium has no profile that could hold an app.
  expect(dashboard.errors.filter((error) => error !== 'in-incognito')).toEqual([])

  await page.goto(product.url('/contact'))
  const site = await installability(page)
  expect(site.manifest).toMatchObject({ start_url: '/', display: 'browser' })
  expect(site.errors).toContain('manifest-display-not-supported')
})

test('the sign-in links the dashboard’s manifest, however it is reached', async ({ page, product }) => {
  await page.goto(product.url('/login'))
  const link = manifestLink(page)
  await expect(link).toHaveAttribute('href', '/dashboard.webmanifest')
  await open(page, product.url('/unauthorized'))
  await expect(link).toHaveAttribute('href', '/manifest.webmanifest')
  await page.evaluate(() => {
    history.pushState(null, '', '/login')
    dispatchEvent(new PopStateEvent('popstate'))
  })
  await expect(page.getByRole('heading', { name: 'Admin area' })).toBeVisible()
  await expect(link).toHaveAttribute('href', '/dashboard.webmanifest')
})

const PUSHED = {
  title: 'Green Heron',
  body: 'A visitor is waiting',
  tag: 'a'.repeat(20),
  url: `/dashboard/messages/${'a'.repeat(20)}`,
  id: 'first',
}

/** Throws a switch of "This device" in the account. */
async function turnOn(page: Page, name: string): Promise<void> {
  await page.getByRole('switch', { name }).click()
  await expect(page.getByRole('switch', { name })).toBeChecked()
}

/** A message notifies after it was unread for 10 seconds; off duty, the tab looks every 30. */
const AFTER_UNREAD = { timeout: 60_000 }

/** In the page: counts what the worker has shown. */
function countShown(): void {
  Object.assign(window, { shownTimes: 0 })
  navigator.serviceWorker.addEventListener('message', ({ data: message }) => {
    if (message.kind === 'shown') Object.assign(window, { shownTimes: Reflect.get(window, 'shownTimes') + 1 })
  })
}

/** Waits for the worker's word. Chromium forgets a notification that a page lists while the worker shows it. */
const expectShown = (page: Page, times: number) =>
  expect.poll(() => page.evaluate(() => Reflect.get(window, 'shownTimes')), AFTER_UNREAD).toBe(times)

/** What the worker shows, and how it rang. */
const shown = (page: Page) =>
  page.evaluate(async () => {
    const registration = await navigator.serviceWorker.getRegistration()
    const notifications = (await registration?.getNotifications()) ?? []
    return notifications.map((notification) => {
      const { title, body, tag, silent } = notification
      const { renotify } = notification as unknown as { renotify: boolean }
      return { title, body, tag, rang: renotify && silent === false }
    })
  })

/** Delivers pushes as the browser does. */
async function pushTo(page: Page): Promise<(text: string) => Promise<void>> {
  await expect
    .poll(() => page.evaluate(async () => (await navigator.serviceWorker.ready).active?.state))
    .toBe('activated')
  const { origin } = new URL(page.url())
  const cdp = await page.context().newCDPSession(page)
  const registered = new Promise<string>((resolve) => {
    cdp.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const own = registrations.find(({ scopeURL, isDeleted }) => scopeURL.startsWith(origin) && !isDeleted)
      if (own) resolve(own.registrationId)
    })
  })
  await cdp.send('ServiceWorker.enable')
  const registrationId = await registered
  return async (data) => {
    // The worker's word is awaited, because Chromium forgets a notification that a page lists while it is shown.
    await page.evaluate(() => {
      const isShown = new Promise<void>((resolve) => {
        navigator.serviceWorker.addEventListener('message', ({ data: message }) => {
          if (message.kind === 'shown') resolve()
        })
      })
      Object.assign(window, { isShown })
    })
    await cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
    await page.evaluate(() => Reflect.get(window, 'isShown'))
  }
}

/**
 * Clicks the notification with this tag. Answers the windows that the worker opened. `hasDashboard`: one is open, whose
 * answer a slow machine may bring later than the worker would wait for it.
 */
async function clickNotification(worker: Worker, tag: string, hasDashboard: boolean): Promise<string[]> {
  return worker.evaluate(
    async ({ tag: wanted, hasDashboard: isPatient }) => {
      const scope = globalThis as unknown as {
        registration: ServiceWorkerRegistration
        clients: { openWindow: (url: string) => Promise<null> }
      }
      const opened: string[] = []
      // Both need a real click.
      scope.clients.openWindow = async (url) => {
        opened.push(url)
        return null
      }
      const wait = globalThis.setTimeout
      if (isPatient) Object.assign(globalThis, { setTimeout: (end: () => void) => wait(end, 60_000) })
      const [notification] = await scope.registration.getNotifications({ tag: wanted })
      const NotificationEvent = Reflect.get(globalThis, 'NotificationEvent')
      const event = new NotificationEvent('notificationclick', { notification })
      let done: Promise<unknown> = Promise.resolve()
      event.waitUntil = (promise: Promise<unknown>) => {
        done = promise
      }
      dispatchEvent(event)
      await done.catch(() => {})
      Object.assign(globalThis, { setTimeout: wait })
      return opened
    },
    { tag, hasDashboard },
  )
}

async function workerOf(page: Page): Promise<Worker> {
  const context = page.context()
  return context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
}

/** An admin who gets desktop notifications. */
async function adminWithDesktop(admin: Admin): Promise<Page> {
  const { page } = admin
  await page.context().grantPermissions(['notifications'])
  await page.context().addInitScript(countShown)
  await admin.goto('/dashboard/account')
  await turnOn(page, 'Desktop notifications from an open tab')
  return page
}

test('a push replaces the one before of its conversation, and only a new one rings', async ({ admin }) => {
  const page = await adminWithDesktop(admin)
  const push = await pushTo(page)
  await push(JSON.stringify(PUSHED))
  await expect
    .poll(() => shown(page))
    .toEqual([{ title: 'Green Heron', body: 'A visitor is waiting', tag: PUSHED.tag, rang: true }])
  await push(JSON.stringify(PUSHED))
  await expect.poll(async () => (await shown(page)).map(({ rang }) => rang)).toEqual([false])
  await push(JSON.stringify({ ...PUSHED, id: 'second' }))
  await expect.poll(async () => (await shown(page)).map(({ rang }) => rang)).toEqual([true])
  // Never nothing: the browser would end the subscription.
  await push('not JSON')
  await expect
    .poll(async () => (await shown(page)).map(({ title }) => title).toSorted())
    .toEqual(['Green Heron', 'New message'])
})

test('a click goes to the conversation in the open dashboard, and keeps the typed text', async ({
  admin,
  product,
}) => {
  const clientId = someClientId()
  const other = someClientId()
  for (const id of [clientId, other]) {
    await product.post(id, 'hello')
    // Without an answer the tab would notify too.
    await product.reply(id, 'hello')
  }
  const page = await adminWithDesktop(admin)
  const push = await pushTo(page)
  await admin.goto('/dashboard/chats')
  await admin.view(other)
  await admin.box.fill('half a sentence')
  await page.evaluate(() => Object.assign(window, { sameDocument: true }))
  await push(JSON.stringify({ ...PUSHED, tag: clientId, url: `/dashboard/messages/${clientId}` }))
  await expect.poll(() => shown(page)).toHaveLength(1)
  const worker = await workerOf(page)
  expect(await clickNotification(worker, clientId, true)).toEqual([])
  await expect(page).toHaveURL(product.url(`/dashboard/messages/${clientId}`))
  await expect.poll(() => shown(page)).toEqual([])
  await page.goBack()
  await expect(admin.box).toHaveValue('half a sentence')
  expect(await page.evaluate(() => Reflect.get(window, 'sameDocument'))).toBe(true)

  // Without a dashboard a window is opened, of this site only.
  const open = async (url: string) => {
    await push(JSON.stringify({ ...PUSHED, url, id: url }))
    await expect.poll(() => shown(page)).toHaveLength(1)
    const opened = await clickNotification(worker, PUSHED.tag, false)
    // Its closing must not meet the next one, which has the same tag.
    await expect.poll(() => shown(page)).toEqual([])
    return opened
  }
  await admin.goto('/contact')
  expect(await open(PUSHED.url)).toEqual([PUSHED.url])
  expect(await open('https://evil.example/dashboard')).toEqual(['/dashboard/chats'])
  expect(await open('//evil.example/dashboard')).toEqual(['/dashboard/chats'])
})

test('an open tab notifies of an unread message, once for all tabs, and not while it is looked at', async ({
  admin,
  product,
}) => {
  const [waiting, viewed] = [someClientId(), someClientId()]
  await product.post(viewed, 'hello')
  const page = await adminWithDesktop(admin)
  const second = new Admin(await page.context().newPage(), product)
  await second.goto(`/dashboard/messages/${viewed}`)
  await expect(second.message('hello')).toBeVisible()
  await product.post(viewed, 'looked at')
  await expect(second.message('looked at')).toBeVisible()
  await product.post(waiting, 'secret words')
  await expectShown(page, 1)
  await expect
    .poll(() => shown(page))
    .toEqual([{ title: expect.any(String), body: 'A visitor is waiting', tag: waiting, rang: true }])

  await turnOn(page, 'Show message text')
  await product.post(waiting, 'now with words')
  await expectShown(page, 2)
  await expect.poll(async () => (await shown(page)).map(({ body }) => body)).toEqual(['now with words'])
  expect(await clickNotification(await workerOf(page), waiting, true)).toEqual([])
  const inFront = () => [page, second.page].filter((tab) => tab.url().endsWith(waiting)).length
  await expect.poll(inFront).toBe(1)
})

test('a notification goes once its conversation is read on another device', async ({ admin, product }) => {
  const page = await adminWithDesktop(admin)
  const [read, waiting] = [someClientId(), someClientId()]
  const tags = async () => (await shown(page)).map(({ tag }) => tag).toSorted()
  await product.post(waiting, 'hello')
  await product.post(read, 'hello')
  await expectShown(page, 2)
  await expect.poll(tags).toEqual([read, waiting].toSorted())
  await product.callAsAdmin('POST', adminPaths.adminConversationRead(read), { seq: 1 })
  await expect.poll(tags).toEqual([waiting])
})

test('off duty, messages do not notify', async ({ admin, product }) => {
  const page = await adminWithDesktop(admin)
  await page.getByRole('switch', { name: 'On duty' }).click()
  await expect(page.getByText("You're off duty, so messages don't notify you.")).toBeVisible()
  const asked = page.waitForResponse((answer) => answer.url().includes('/api/chat?unread=1'))
  await product.post(someClientId(), 'hello')
  await asked
  // The notice lies over the head, not over the switch.
  await page.getByRole('switch', { name: 'On duty' }).click()
  // Rings now: so it would have before.
  await expectShown(page, 1)
  await expect.poll(() => shown(page)).toHaveLength(1)
})

const workers = (page: Page) =>
  page.evaluate(async () => (await navigator.serviceWorker.getRegistrations()).length)

const stored = (page: Page, key: string) => page.evaluate((name) => localStorage.getItem(name), key)

pushTest(
  'push begins with its switch, a test tells that it arrived, and signing out ends it',
  async ({ admin, product, pushed: page, service }) => {
    await page.setViewportSize({ width: 360, height: 800 })
    await page.emulateMedia({ colorScheme: 'dark' })
    await admin.goto('/dashboard/account')
    await expect(page.getByText('No devices yet.')).toBeVisible()
    expect(await workers(page)).toBe(0)
    expect(await stored(page, 'asked')).toBeNull()

    await turnOn(page, 'Push notifications')
    expect(await stored(page, 'asked')).toBe('true')
    expect(await workers(page)).toBe(1)
    const device = page.getByRole('listitem').filter({ hasText: 'Chrome on Linux (this device)' })
    await expect(device).toBeVisible()
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360)

    const push = await pushTo(page)
    await page.getByRole('button', { name: 'Send a test' }).click()
    await expect.poll(() => service.bodiesOf('first')).toHaveLength(1)
    await push(JSON.stringify(service.received[0]?.payload))
    await expect(page.getByText('The test arrived.')).toBeVisible()

    // Never both: this tab leaves it to push.
    await turnOn(page, 'Desktop notifications from an open tab')
    let looks = 0
    page.on('request', (request) => {
      if (request.url().includes('unread=1')) looks += 1
    })
    const clientId = someClientId()
    await product.post(clientId, 'secret words')
    await expect.poll(() => service.received.length, AFTER_UNREAD).toBe(2)
    await push(JSON.stringify(service.received[1]?.payload))
    await expect
      .poll(async () => (await shown(page)).filter(({ tag }) => tag === clientId))
      .toEqual([{ title: expect.any(String), body: 'A visitor is waiting', tag: clientId, rang: true }])
    expect(looks).toBe(0)

    await turnOn(page, 'Show message text')
    await expect(page.getByText('shows message text')).toBeVisible()

    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await expect(page).toHaveURL(product.url('/login'))
    await expect.poll(() => stored(page, 'subscribed')).toBeNull()
    await expect.poll(() => shown(page)).toEqual([])
    const left = () => product.callAsAdmin<PushDeviceList>('GET', '/account/push')
    await expect.poll(async () => (await left()).devices).toEqual([])
  },
)

pushTest('a visit puts right what changed meanwhile', async ({ admin, product, pushed: page }) => {
  const devices = async () =>
    (await product.callAsAdmin<PushDeviceList>('GET', '/account/push')).devices.map(({ _id }) => _id)
  await admin.goto('/dashboard/account')
  await turnOn(page, 'Push notifications')
  const [first] = await devices()

  // A restored store has another key.
  const otherKey = btoa('another key')
  await page.evaluate((key) => {
    localStorage.setItem('subscribed', JSON.stringify({ index: 0, key }))
  }, otherKey)
  await page.reload()
  await expect.poll(() => stored(page, 'subscribed')).toContain('"index":1')
  await expect.poll(async () => (await devices()).filter((id) => id !== first)).toHaveLength(1)
  await expect.poll(devices).not.toContain(first)

  // Signed in again: the subscription had ended with the session.
  await page.context().clearCookies()
  await product.callAsAdmin('DELETE', '/account/push', { _id: (await devices())[0] })
  await page.reload()
  await admin.fillIn()
  await expect.poll(async () => (await devices()).length).toBe(1)
  // The page has read the answer.
  await expect.poll(() => stored(page, 'pushEndpoint')).not.toBeNull()

  // Removed on another device.
  await product.callAsAdmin('DELETE', '/account/push', { _id: (await devices())[0] })
  await page.reload()
  await expect(page.getByText('Push notifications ended on this device.')).toBeVisible()
  expect(await stored(page, 'subscribed')).toBeNull()

  // Another admin's subscription in this browser.
  await turnOn(page, 'Push notifications')
  const choices = JSON.parse((await stored(page, 'notifications')) ?? '{}')
  await page.evaluate(
    (text) => localStorage.setItem('notifications', text),
    JSON.stringify({ ...choices, push: 'x' }),
  )
  await page.reload()
  await expect.poll(() => stored(page, 'subscribed')).toBeNull()
  await expect(page.getByRole('switch', { name: 'Push notifications' })).not.toBeChecked()
})
