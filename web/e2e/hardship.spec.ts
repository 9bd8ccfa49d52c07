import { ourError } from './our-answer.ts'
import { Visitor } from './people.ts'
import { storeItems } from './stored-items.ts'
import { expect, test } from './test.ts'

test.describe('a refused message', () => {
  test.use({ env: { CHAT_TRANSPORT: 'polling', CHAT_POLL_MS: '500' } })

  test('stays visible with its reason, and can be sent again or copied', async ({ visitor, product }) => {
    const context = visitor.page.context()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await visitor.page.route('**/api/chat', (route) =>
      route.request().method() === 'POST'
        ? route.fulfill(
            ourError(route.request(), 403, { message: 'This conversation is closed.', code: 'blocked' }),
          )
        : route.fallback(),
    )
    await visitor.type('please')
    await expect(visitor.panel.getByText('This conversation is closed.')).toBeVisible()
    await expect(visitor.message('please')).toBeVisible()
    await visitor.panel.getByRole('button', { name: 'Copy' }).click()
    await expect.poll(() => visitor.page.evaluate(() => navigator.clipboard.readText())).toBe('please')

    // Also after a reload.
    await visitor.page.reload()
    await visitor.openChat()
    await expect(visitor.message('please')).toBeVisible()

    await visitor.page.unroute('**/api/chat')
    await visitor.panel.getByRole('button', { name: 'Retry' }).click()
    await visitor.expectSent('please')
    expect(await product.texts(await visitor.clientId())).toEqual(['please'])
  })
})

test('a conversation works with localStorage denied', async ({ browser, product }) => {
  const context = await browser.newContext()
  await context.addInitScript(() => {
    Object.defineProperty(window, 'localStorage', {
      get() {
        throw new DOMException('The user denied access to storage.', 'SecurityError')
      },
    })
  })
  const visitor = new Visitor(await context.newPage(), product)
  await visitor.goto('/')
  await visitor.openChat()
  await visitor.send('no storage')
  expect(visitor.complaints).toEqual([])
  await visitor.leave()
})

test('a conversation works with localStorage full', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product, { path: '/login' })
  await visitor.page.evaluate(() => {
    for (let size = 1 << 20; size >= 1; size >>= 1) {
      try {
        for (let part = 0; ; part++) localStorage.setItem(`full-${size}-${part}`, 'x'.repeat(size))
      } catch {
        // Full for this size: fill the rest with smaller ones.
      }
    }
  })
  await visitor.goto('/')
  await visitor.openChat()
  await visitor.send('no room')
  await visitor.send('still none')
  expect(visitor.complaints).toEqual([])
  // A message typed offline survives the page too.
  await visitor.page.route('**/api/chat**', (route) => route.abort())
  await visitor.page.routeWebSocket('**/socket.io/**', (socket) => socket.close())
  await visitor.goto('/')
  await visitor.openChat()
  await visitor.type('typed out of reach')
  await visitor.page.unrouteAll()
  await visitor.goto('/')
  await visitor.openChat()
  await visitor.expectSent('typed out of reach')
  await visitor.leave()
})

test('two tabs that open their chat at the same time use one clientId', async ({ browser, product }) => {
  const context = await browser.newContext()
  await storeItems(context, product.origin, { liveChat: 'false' })
  // Chromium does not say when a tab sees what another one writes: here it is never.
  await context.addInitScript(() => {
    const { getItem, setItem } = Storage.prototype
    const own = new Set<string>()
    Storage.prototype.getItem = function (key) {
      return key.startsWith('client') && !own.has(key) ? null : getItem.call(this, key)
    }
    Storage.prototype.setItem = function (key, value) {
      own.add(key)
      setItem.call(this, key, value)
    }
  })
  const tabs = await Promise.all([0, 1].map(async () => new Visitor(await context.newPage(), product)))
  await Promise.all(tabs.map((tab) => tab.goto('/')))
  await Promise.all(tabs.map((tab) => expect(tab.launcher).toBeVisible()))
  await Promise.all(tabs.map((tab) => tab.launcher.click()))
  await Promise.all(tabs.map((tab) => tab.openChat()))
  await Promise.all(tabs.map((tab, at) => tab.type(`from tab ${at}`)))
  for (const tab of tabs) {
    for (const text of ['from tab 0', 'from tab 1']) await tab.expectSent(text)
  }
  await context.close()
})

test('a clock that is hours off changes neither the order nor the messages', async ({ browser, product }) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  await page.clock.install({ time: Date.now() + 7 * 3_600_000 })
  const visitor = new Visitor(page, product)
  await visitor.goto('/')
  await visitor.openChat()
  await visitor.send('from the future')
  await visitor.send('again')
  await context.close()
})
