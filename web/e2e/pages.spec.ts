import { violationsInBothSchemes } from './axe.ts'
import { Admin, Visitor } from './people.ts'
import { expect, someClientId, test } from './test.ts'

for (const path of ['/', '/login', '/dashboard/chats']) {
  test(`${path} loads without console messages`, async ({ browser, product }) => {
    const visitor = await Visitor.arrive(browser, product, { path })
    if (path === '/') await expect(visitor.card).toBeVisible()
    else await expect(visitor.page.getByRole('heading', { name: 'Admin area' })).toBeVisible()
    // Without a session no refresh is attempted, so not even a 401 is logged.
    expect(visitor.complaints).toEqual([])
    await visitor.leave()
  })
}

test('the dashboard runs without console messages', async ({ admin, product }) => {
  const clientId = someClientId()
  await product.post(clientId, 'hello')
  await admin.view(clientId)
  await expect(admin.message('hello')).toBeVisible()
  expect(admin.complaints).toEqual([])
})

test('the home page is complete with JavaScript off', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product, { javaScriptEnabled: false })
  await expect(visitor.page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(visitor.page.getByRole('banner')).toBeVisible()
  await expect(visitor.page.getByRole('contentinfo')).toContainText(String(new Date().getFullYear()))
  expect(await visitor.page.title()).not.toBe('')
  await visitor.leave()
})

test('an unknown address shows the not-found page with status 404', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product, { path: '/login' })
  const answer = await visitor.page.goto(product.url('/no-such-page'))
  expect(answer?.status()).toBe(404)
  await expect(visitor.page.getByRole('heading', { level: 1 })).toBeVisible()
  await visitor.leave()
})

test('a closed chat loads neither the engine nor Socket.IO', async ({ visitor, product }) => {
  await expect(visitor.panel.getByText('Connected')).toBeVisible()
  await visitor.page.keyboard.press('Escape')
  await expect(visitor.panel).toBeHidden()
  // What the open chat still does must not be counted for the next page.
  await visitor.page.goto('about:blank')

  const scripts: Promise<string>[] = []
  let sockets = 0
  const calls: string[] = []
  visitor.page.on('websocket', () => sockets++)
  visitor.page.on('response', (response) => {
    if (response.request().resourceType() === 'script') scripts.push(response.text())
    if (response.url().includes('/api/')) calls.push(response.url())
  })
  await visitor.page.goto(product.url('/'), { waitUntil: 'networkidle' })
  await expect(visitor.launcher).toBeVisible()
  await expect(visitor.panel).toBeHidden()
  expect(scripts.length).toBeGreaterThan(0)
  expect((await Promise.all(scripts)).join('\n')).not.toContain('EIO')
  expect(sockets).toBe(0)
  expect(calls).toEqual([])
})

test('an open chat connects no socket before it is used', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product, { path: '/login' })
  let sockets = 0
  visitor.page.on('websocket', () => sockets++)
  // As for a visitor who left it open.
  await visitor.page.evaluate(() => localStorage.setItem('liveChat', 'true'))
  await visitor.goto('/')
  await expect(visitor.panel.getByText('Connected')).toBeVisible()
  await visitor.page.waitForLoadState('networkidle')
  expect(sockets).toBe(0)
  await visitor.box.click()
  await expect.poll(() => sockets).toBe(1)
  await visitor.leave()
})

test('nothing scrolls sideways at 320 px', async ({ browser, product }) => {
  const clientId = someClientId()
  await product.post(clientId, `${'w'.repeat(400)} https://example.org/${'path/'.repeat(60)}`)
  const viewport = { width: 320, height: 568 }
  const overflow = () => document.documentElement.scrollWidth - document.documentElement.clientWidth

  const visitor = await Visitor.arrive(browser, product, { viewport })
  await visitor.openChat()
  await visitor.send('x'.repeat(300))
  expect(await visitor.page.evaluate(overflow)).toBe(0)
  const box = await visitor.panel.boundingBox()
  expect(box?.x).toBeGreaterThanOrEqual(0)
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(320)
  await visitor.leave()

  const admin = await Admin.signIn(browser, product, '/dashboard/chats', { viewport })
  await expect(admin.row(clientId)).toBeVisible()
  expect(await admin.page.evaluate(overflow)).toBe(0)
  // The bar's last button, and the menu's.
  for (const name of ['Commands', 'Sign out']) {
    if (name === 'Sign out') await admin.page.getByRole('button', { name: 'Menu' }).click()
    const box = await admin.page.getByRole('button', { name, exact: true }).boundingBox()
    expect((box?.x ?? 0) + (box?.width ?? 0), name).toBeLessThanOrEqual(313)
  }
  await admin.page.keyboard.press('Escape')
  await admin.view(clientId)
  expect(await admin.page.evaluate(overflow)).toBe(0)
  await admin.leave()
})

test.describe('in both schemes, axe', () => {
  async function expectAccessible(page: Visitor['page']): Promise<void> {
    // A fading toast has no contrast to measure.
    await expect(page.getByText(/^Welcome back/)).toHaveCount(0)
    expect(await violationsInBothSchemes(page)).toEqual([])
  }

  test('finds nothing on the public pages and in the widget', async ({ browser, product }) => {
    const visitor = await Visitor.arrive(browser, product)
    await visitor.openChat()
    await visitor.send('hello, see https://example.org')
    await expectAccessible(visitor.page)
    await visitor.page.keyboard.press('Escape')
    await expect(visitor.panel).toBeHidden()
    await expectAccessible(visitor.page)
    await visitor.goto('/login')
    await expect(visitor.page.getByRole('heading', { level: 1 })).toBeVisible()
    await expectAccessible(visitor.page)
    await visitor.leave()
  })

  test('finds nothing in the dashboard', async ({ browser, product }) => {
    const clientId = someClientId()
    await product.post(clientId, 'hello')
    const admin = await Admin.signIn(browser, product, '/dashboard/chats')
    await expect(admin.row(clientId)).toBeVisible()
    await expectAccessible(admin.page)
    await admin.view(clientId)
    await expect(admin.message('hello')).toBeVisible()
    await admin.send('good day')
    await expectAccessible(admin.page)
    await admin.leave()
  })
})
