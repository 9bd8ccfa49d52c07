import type { Page } from '@playwright/test'
import { violationsInBothSchemes } from './axe.ts'
import { Admin, Visitor } from './people.ts'
import type { Product } from './product.ts'
import { expect, someClientId, test } from './test.ts'

const WEEK_MS = 7 * 86_400_000
/** How long a visitor of this test has waited, on a slow machine too. */
/** On the screen, and for screen readers. */
const SHORTLY = /^(now less than a minute|(\d)m \2 minutes?)$/

/** Visitors who wait in this order. */
async function waiting(product: Product, count: number): Promise<string[]> {
  const ids = Array.from({ length: count }, someClientId)
  for (const id of ids) await product.post(id, `the question of ${id}`)
  return ids
}

/** The clientIds in the list, in its order. */
const listed = (page: Page) =>
  page
    .locator('tbody .conversations-alias')
    .evaluateAll((names: HTMLElement[]) => names.map(({ title }) => title))

test('the open conversation keeps its place in the list until the admin leaves it', async ({
  admin,
  product,
}) => {
  const [first, second, third] = (await waiting(product, 3)) as [string, string, string]
  await admin.goto(`/dashboard/messages/${second}`)
  await expect.poll(() => listed(admin.page)).toEqual([first, second, third])
  await admin.send('my answer')
  await expect(admin.row(second)).toContainText('You: my answer')
  await expect(admin.row(second)).toContainText(/answered/i)
  expect(await listed(admin.page)).toEqual([first, second, third])
  await expect(admin.row(second)).toBeInViewport()

  await admin.page.getByRole('link', { name: 'Next in line' }).click()
  await expect.poll(() => listed(admin.page)).toEqual([first, third, second])
})

for (const { width, height, touch, row, least } of [
  { width: 1440, height: 900, touch: false, row: 44, least: 17 },
  { width: 390, height: 844, touch: true, row: 72, least: 9 },
]) {
  test(`at least ${least} conversations fit on a screen of ${width} x ${height}`, async ({
    browser,
    product,
  }) => {
    const ids = await waiting(product, least + 2)
    // Nothing that a row shows makes it higher.
    await product.callAsAdmin('PATCH', `/chat/admin/${ids[0]}`, { labels: ['refund', 'vip', 'a long label'] })
    await product.callAsAdmin('PATCH', `/chat/admin/${ids[0]}/visitor`, {
      name: 'A name that is far longer than the column in which it stands',
      examAt: new Date(Date.now() + 1_800_000).toISOString(),
    })
    await product.post(ids[1] ?? '', `${'words '.repeat(60)}\n你好 مرحبا`)
    const admin = await Admin.signIn(browser, product, '/dashboard/chats', {
      viewport: { width, height },
      hasTouch: touch,
      isMobile: touch,
    })
    const rows = admin.page.locator('.conversations tbody tr')
    await expect(rows).toHaveCount(least + 2)
    const sizes = await rows.evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON()))
    expect(new Set(sizes.map((size) => size.height))).toEqual(new Set([row]))
    expect((await admin.page.locator('.page-head').boundingBox())?.height).toBe(52)
    const list = await admin.page.locator('.conversations').boundingBox()
    const end = (list?.y ?? 0) + (list?.height ?? 0)
    expect(sizes.filter(({ bottom }) => bottom <= end).length).toBeGreaterThanOrEqual(least)
    await admin.leave()
  })
}

test('still rows keep the places of the list while it loads, and rows that leave fade out', async ({
  admin,
  product,
}) => {
  const { page } = admin
  const [first, second] = (await waiting(product, 2)) as [string, string]
  let answer = () => {}
  const isAnswered = new Promise<void>((resolve) => {
    answer = resolve
  })
  await page.route(/\/api\/chat\?/, async (route) => {
    await isAnswered
    await route.continue()
  })
  await admin.goto('/dashboard/chats')
  const skeleton = page.locator('.skeleton-row').first()
  await expect(skeleton).toBeVisible()
  await expect(page.getByRole('main').getByRole('status').filter({ hasText: 'Loading' })).toHaveCount(1)
  const place = await skeleton.boundingBox()
  answer()
  await expect(skeleton).toHaveCount(0)
  const row = await admin.row(first).boundingBox()
  expect([row?.y, row?.height]).toEqual([place?.y, place?.height])

  // The animation can end before the test looks.
  await page.evaluate(() => {
    const left = new Promise((resolve) => {
      new MutationObserver((changes) => {
        for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes]))
          if (node instanceof Element && node.matches('.row-leaving')) resolve(node.textContent)
      }).observe(document, { childList: true, subtree: true })
    })
    Object.assign(window, { left })
  })
  await product.callAsAdmin('PATCH', `/chat/admin/${first}`, { status: 'resolved' })
  expect(await page.evaluate(() => Reflect.get(window, 'left'))).toContain(`the question of ${first}`)
  await expect(page.locator('.row-leaving')).toHaveCount(0)
  expect(await listed(page)).toEqual([second])
  await product.callAsAdmin('PATCH', `/chat/admin/${first}`, { status: 'open' })
  await expect(admin.row(first)).toHaveAttribute('data-arriving', 'true')
  await expect(admin.row(second)).toHaveAttribute('data-arriving', 'false')
})

test("without room for the panel, a sheet at the side shows the visitor's data", async ({
  admin,
  product,
}) => {
  const { page } = admin
  const [clientId] = (await waiting(product, 1)) as [string]
  await page.setViewportSize({ width: 1100, height: 800 })
  await admin.goto(`/dashboard/messages/${clientId}`)
  const button = page.getByRole('button', { name: 'Visitor', exact: true })
  await button.click()
  const sheet = page.getByRole('dialog', { name: 'Visitor' })
  await expect(sheet.getByText('First seen')).toBeVisible()
  await expect.poll(() => sheet.boundingBox()).toEqual({ x: 1100 - 352, y: 0, width: 352, height: 800 })
  expect(await violationsInBothSchemes(page)).toEqual([])
  await page.keyboard.press('Escape')
  await expect(sheet).toHaveCount(0)
  await expect(button).toBeFocused()
  await page.setViewportSize({ width: 500, height: 800 })
  await page.getByRole('button', { name: 'More about this conversation' }).click()
  await page.getByRole('button', { name: 'Visitor', exact: true }).click()
  await expect.poll(async () => (await sheet.boundingBox())?.width).toBe(500)
})

test('forced colors mark the row of the open conversation', async ({ admin, product }) => {
  const { page } = admin
  const [first, second] = (await waiting(product, 2)) as [string, string]
  await page.emulateMedia({ forcedColors: 'active' })
  await admin.goto(`/dashboard/messages/${first}`)
  await expect(admin.row(first).getByRole('link')).toHaveAttribute('aria-current', 'page')
  await expect(admin.row(second)).toBeVisible()
  /** The beginning of a row, where no text is. */
  const edge = async (clientId: string) => {
    const { x, y } = (await admin.row(clientId).boundingBox()) as { x: number; y: number }
    return page.screenshot({ clip: { x, y: y + 4, width: 8, height: 24 } })
  }
  expect((await edge(first)).equals(await edge(second))).toBe(false)
})

test('the last tab fits beside all filters, at 1280 and 1366 px', async ({ admin, product }) => {
  await waiting(product, 12)
  const site = { name: 'Example Tutors', origins: ['https://tutors.example.com'] }
  await product.callAsAdmin('POST', '/sites', site)
  await admin.goto('/dashboard/chats?unread=1')
  for (const width of [1280, 1366]) {
    await admin.page.setViewportSize({ width, height: 800 })
    await expect(admin.page.getByRole('button', { name: 'Clear filters' })).toBeVisible()
    await expect(admin.page.getByRole('combobox', { name: 'Website' })).toBeVisible()
    const room = await admin.page
      .getByRole('tablist')
      .evaluate(({ clientWidth, scrollWidth }) => clientWidth - scrollWidth)
    expect(room, `${width} px`).toBe(0)
  }
})

test('the list shows how an Arabic message begins, and cuts off its end', async ({ admin, product }) => {
  const { page } = admin
  const clientId = someClientId()
  await product.post(clientId, 'مرحبا، هل يمكنني استخدام كاميرا خارجية أثناء الامتحان غدا؟')
  await page.setViewportSize({ width: 390, height: 844 })
  await admin.goto('/dashboard/chats')
  // The first letter is the rightmost one.
  const beyond = await admin
    .row(clientId)
    .locator('.conversations-words')
    .evaluate((words) => {
      const letters = document.createTreeWalker(words, NodeFilter.SHOW_TEXT).nextNode() as Text
      const range = document.createRange()
      range.setStart(letters, 0)
      range.setEnd(letters, 1)
      return range.getBoundingClientRect().right - words.getBoundingClientRect().right
    })
  expect(beyond).toBeLessThan(1)
})

test('forced colors mark only the chosen tab and the current page', async ({ admin }) => {
  const { page } = admin
  await page.emulateMedia({ forcedColors: 'active' })
  await admin.goto('/dashboard/chats')
  const tabs = page.getByRole('tab')
  await expect(tabs.first()).toHaveAttribute('aria-selected', 'true')
  const background = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
  const edges = await tabs.evaluateAll((all) => all.map((tab) => getComputedStyle(tab).borderBottomColor))
  expect(edges.map((edge) => edge !== background)).toEqual(edges.map((_, index) => index === 0))
  const entries = page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link')
  const lines = await entries.evaluateAll((all) => all.map((entry) => getComputedStyle(entry).borderTopColor))
  expect(lines.map((line) => line !== background)).toEqual(lines.map((_, index) => index === 0))
})

for (const { textSize, shown } of [
  { textSize: 16, shown: { list: true, visitor: true } },
  { textSize: 20, shown: { list: true, visitor: false } },
  { textSize: 24, shown: { list: false, visitor: false } },
  { textSize: 32, shown: { list: false, visitor: false } },
]) {
  test(`the message box keeps its room with the browser's text at ${textSize} px`, async ({
    product,
    playwright,
    launchOptions,
  }) => {
    const args = [...(launchOptions.args ?? []), `--blink-settings=defaultFontSize=${textSize}`]
    const browser = await playwright.chromium.launch({ ...launchOptions, args })
    try {
      const clientId = someClientId()
      await product.post(clientId, 'hello')
      const path = `/dashboard/messages/${clientId}`
      const admin = await Admin.signIn(browser, product, path, { viewport: { width: 1440, height: 900 } })
      const { page } = admin
      expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe(
        `${textSize}px`,
      )
      await expect(admin.message('hello')).toBeVisible()
      await expect(page.locator('.messages-page > aside')).toHaveCount(shown.list ? 1 : 0)
      await expect(page.locator('.messages-page > .visitor-panel')).toHaveCount(shown.visitor ? 1 : 0)
      expect((await admin.box.boundingBox())?.width).toBeGreaterThan(280)
      for (const width of [320, 390, 640, 900, 1024, 1150, 1279, 1280, 1366, 1500, 1920, 2560]) {
        await page.setViewportSize({ width, height: 900 })
        const box = page.locator('.answer-card')
        await expect
          .poll(async () => (await box.boundingBox())?.width, { message: `at ${width} px` })
          .toBeGreaterThanOrEqual(280)
      }
    } finally {
      await browser.close()
    }
  })
}

test('a time in another language than the page says so, and fits the words around it', async ({
  browser,
  product,
}) => {
  const [clientId, answered] = (await waiting(product, 2)) as [string, string]
  await product.reply(answered, 'an answer')
  const admin = await Admin.signIn(browser, product, `/dashboard/messages/${clientId}`, { locale: 'zh-CN' })
  const { page } = admin
  await expect(admin.log.locator('time')).toHaveAttribute('lang', 'zh-CN')
  await expect(admin.log.getByText('今天')).toHaveAttribute('lang', 'zh-CN')
  // The list's short times are as English as the words around them.
  await expect(admin.row(answered).locator('.conversations-waiting time')).toHaveText(SHORTLY)
  const chineseWithoutLang = await page.evaluate(() =>
    [...document.querySelectorAll('*')]
      .filter(
        (element) => element.childElementCount === 0 && /\p{Script=Han}/u.test(element.textContent ?? ''),
      )
      .filter((element) => !element.closest('[lang]')?.getAttribute('lang')?.startsWith('zh'))
      .map((element) => element.outerHTML),
  )
  expect(chineseWithoutLang).toEqual([])
  await expect(admin.row(clientId).locator('.conversations-waiting')).toHaveText(SHORTLY)
  await admin.leave()
})

for (const weeks of [3, -3]) {
  test(`times are right with a clock that is wrong by ${weeks} weeks`, async ({ browser, product }) => {
    const visitor = await Visitor.arrive(browser, product)
    await visitor.page.clock.setFixedTime(Date.now() + weeks * WEEK_MS)
    await visitor.page.reload()
    await visitor.openChat()
    await visitor.send('what time is it?')
    await expect(visitor.log.getByText('just now')).toBeVisible()
    await expect(visitor.log.getByText('Today')).toBeVisible()
    const clientId = await visitor.clientId()
    await visitor.leave()

    const admin = await Admin.signIn(browser, product, '/dashboard/chats')
    await admin.page.clock.setFixedTime(Date.now() + weeks * WEEK_MS)
    await admin.page.reload()
    await expect(admin.row(clientId).locator('.conversations-waiting')).toHaveText(SHORTLY)
    await admin.view(clientId)
    await expect(admin.log.getByText('Today')).toBeVisible()
    await expect(admin.log.getByText(/week/)).toHaveCount(0)
    await admin.leave()
  })
}
