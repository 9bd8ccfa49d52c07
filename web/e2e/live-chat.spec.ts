import type { Page } from '@playwright/test'
import { expect, open, test } from './site.ts'

const panelOf = (page: Page) => page.getByRole('dialog', { name: /^Welcome to/ })

for (const [path, place] of [
  ['/', 'header'],
  ['/', 'main'],
  ['/', 'footer'],
  ['/no-such-page', 'main'],
] as const) {
  test(`Live Chat in the ${place} of ${path}, pressed before the scripts arrive, opens the chat`, async ({
    page,
  }) => {
    const scripts = Promise.withResolvers<void>()
    await page.route('**/assets/*.js', async (route) => {
      await scripts.promise
      await route.continue()
    })
    await page.goto(path, { waitUntil: 'commit' })
    // All that the server sends: this stands at its end.
    await expect(page.locator('#live-chat-pressed')).toBeAttached()
    await page
      .locator(`${place} button`, { hasText: /^Live Chat$/ })
      .first()
      .click()
    await expect(page.getByText('Loading chat...')).toBeVisible()
    scripts.resolve()
    await expect(panelOf(page)).toBeVisible()
    await expect(page.getByRole('textbox', { name: 'Your message' })).toBeFocused()
  })
}

test.describe('on a phone', () => {
  test.use({ viewport: { width: 360, height: 740 } })

  test('Back closes the chat and stays on the page', async ({ page, complaints }) => {
    await open(page, '/contact')
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('banner').getByRole('link', { name: 'FAQ' }).click()
    const heading = page.getByRole('heading', { level: 1, name: 'Questions and answers' })
    await expect(heading).toBeVisible()
    const chatButton = page.getByRole('button', { name: /^Live chat/ })
    const panel = panelOf(page)
    const calls: string[] = []
    page.on('request', (request) => {
      // The chat itself may still be loading its messages and its socket.
      if (!/\/(chat\/|assets\/socket-io)/.test(request.url())) calls.push(request.url())
    })

    await chatButton.click()
    await expect(panel).toBeVisible()
    await expect(panel.getByText('Connected')).toBeVisible()
    const menu = panel.getByRole('button', { name: 'Mute sounds' })
    await panel.getByRole('button', { name: 'More' }).click()
    await expect(menu).toBeVisible()
    calls.length = 0
    await page.evaluate(() => history.back())
    await expect(menu).toBeHidden()
    await expect(panel).toBeVisible()
    await page.evaluate(() => history.back())
    await expect(panel).toBeHidden()
    await expect(heading).toBeVisible()
    await expect(chatButton).toBeFocused()
    expect(new URL(page.url()).pathname).toBe('/faq')
    expect(calls).toEqual([])

    // Forward opens it again, and a reload keeps it.
    await page.evaluate(() => history.forward())
    await expect(panel).toBeVisible()
    await page.reload()
    await expect(panel.getByText('Connected')).toBeVisible()
    await page.evaluate(() => history.back())
    await expect(panel).toBeHidden()
    expect(new URL(page.url()).pathname).toBe('/faq')
    await page.evaluate(() => history.back())
    await expect(page).toHaveURL('/contact')
    expect(complaints).toEqual([])
  })

  test('a chat that its button closed leaves no step in the history', async ({ page }) => {
    await open(page, '/contact')
    await page.getByRole('button', { name: 'Menu' }).click()
    await page.getByRole('banner').getByRole('link', { name: 'FAQ' }).click()
    await expect(page.getByRole('heading', { level: 1, name: 'Questions and answers' })).toBeVisible()
    const state = () => page.evaluate(() => JSON.stringify(history.state))
    const before = await state()
    for (let times = 0; times < 3; times++) {
      await page.getByRole('button', { name: /^Live chat/ }).click()
      await expect(panelOf(page)).toBeVisible()
      await expect.poll(state).not.toBe(before)
      await page.getByRole('button', { name: 'Close chat' }).click()
      await expect(panelOf(page)).toBeHidden()
      await expect.poll(state).toBe(before)
    }
    await page.evaluate(() => history.back())
    await expect(page).toHaveURL('/contact')
    await expect(page.getByRole('heading', { level: 1, name: 'Contact' })).toBeVisible()
  })

  test('no script of the chat forces a layout while it opens', async ({ page }) => {
    await open(page, '/faq')
    const devtools = await page.context().newCDPSession(page)
    const events: { name: string; args: { beginData?: { stackTrace?: { url: string }[] } } }[] = []
    devtools.on('Tracing.dataCollected', ({ value }) => events.push(...(value as unknown as typeof events)))
    await devtools.send('Tracing.start', {
      transferMode: 'ReportEvents',
      traceConfig: {
        includedCategories: ['devtools.timeline', 'disabled-by-default-devtools.timeline.stack'],
      },
    })
    await page.getByRole('button', { name: /^Live chat/ }).click()
    await expect(page.getByRole('dialog').getByText('Connected')).toBeVisible()
    await expect(page.locator('.chat-sheet-open')).toHaveCount(1)
    const complete = new Promise<void>((resolve) => devtools.once('Tracing.tracingComplete', () => resolve()))
    await devtools.send('Tracing.end')
    await complete
    const layouts = events.filter(({ name }) => name === 'Layout')
    expect(layouts.length).toBeGreaterThan(0)
    const forcedBy = layouts
      .map(({ args }) => args.beginData?.stackTrace?.[0]?.url ?? '')
      .filter((url) => /\/assets\/(panel|chat)-/.test(url))
    expect(forcedBy).toEqual([])
  })
})
