import type { Browser, Page } from '@playwright/test'
import { emptyRoom } from './empty-room.ts'
import { Admin } from './people.ts'
import type { Product } from './product.ts'
import { expect, someClientId, test } from './test.ts'

/** Small moves, such as those of the icons in the bar when its number comes, are far below. */
const SHIFT_MAX = 0.02

const SCREENS = {
  1280: { viewport: { width: 1280, height: 800 } },
  360: { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true },
}

declare global {
  interface Window {
    layoutShift?: () => number
  }
}

test.describe('without rate limits', () => {
  test.use({ env: { RATE_LIMITS: 'off' } })

  for (const [width, screen] of Object.entries(SCREENS)) {
    test(`nothing moves while a page of the dashboard loads, ${width} px`, async ({ browser, product }) => {
      const { admin, clientId } = await arrive(browser, product, screen)
      const { page } = admin
      const main = page.getByRole('main')
      await page.addInitScript(watchLayoutShift)
      await paintBetweenAnswers(page)
      const loaded = {
        '/dashboard/chats': [main.getByText('May I use two monitors?')],
        [`/dashboard/messages/${clientId}`]: [
          admin.message('My camera stays black.'),
          main.getByRole('button', { name: 'Resolve' }),
          main.locator('.conversation-head').getByText('Offline'),
        ],
        '/dashboard/account': [main.getByText('No devices yet.'), main.getByText('(this browser)')],
        '/dashboard/settings': [main.getByRole('button', { name: 'Save settings' })],
        '/dashboard/replies': [main.getByText('No canned replies yet')],
        '/dashboard/team': [main.getByText('(you)')],
        '/dashboard/reports': [
          main.getByText('Waiting longest'),
          main.getByRole('heading', { name: 'By day' }),
        ],
      }
      const shifts: Record<string, number> = {}
      for (const [path, parts] of Object.entries(loaded)) {
        await admin.goto(path)
        for (const part of parts) await expect(part, path).toBeVisible()
        await expect(page.getByRole('link', { name: /^Support, [12] unread/ })).toBeVisible()
        await expect(page.getByText('Loading', { exact: true })).toHaveCount(0)
        await painted(page)
        expect(await page.evaluate(emptyRoom), `what ${path} scrolls to beyond its content`).toEqual([])
        shifts[path] = await page.evaluate(() => window.layoutShift?.() ?? Number.NaN)
      }
      const none = Object.keys(loaded).map((path) => [path, 0])
      const moved = Object.entries(shifts).map(([path, shift]) => [path, shift < SHIFT_MAX ? 0 : shift])
      expect(Object.fromEntries(moved)).toEqual(Object.fromEntries(none))
      await page.unrouteAll({ behavior: 'ignoreErrors' })
      await admin.leave()
    })
  }
})

/** An admin, and two visitors who wait: the head of each conversation leads to the other. */
async function arrive(browser: Browser, product: Product, screen: (typeof SCREENS)[360 | 1280]) {
  const clientId = someClientId()
  await product.post(clientId, 'My camera stays black.')
  await product.post(someClientId(), 'May I use two monitors?')
  return { admin: await Admin.signIn(browser, product, '/dashboard/search', screen), clientId }
}

/** Gives the page one answer of the API at a time, and shows each before the next: what moves is seen moving. */
async function paintBetweenAnswers(page: Page): Promise<void> {
  let before = Promise.resolve()
  await page.route('**/api/**', async (route) => {
    before = before.then(() => painted(page)).catch(() => {})
    await before
    await route.continue().catch(() => {})
  })
}

async function painted(page: Page): Promise<void> {
  await page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
  )
}

/** Runs in the browser before any script of the page. */
function watchLayoutShift(): void {
  let sum = 0
  const add = (entries: PerformanceEntryList) => {
    for (const entry of entries) sum += (entry as PerformanceEntry & { value: number }).value
  }
  const observer = new PerformanceObserver((list) => add(list.getEntries()))
  observer.observe({ type: 'layout-shift', buffered: true })
  window.layoutShift = () => {
    add(observer.takeRecords())
    return sum
  }
}
