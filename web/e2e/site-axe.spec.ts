import type { Page } from '@playwright/test'
import { violationsInBothSchemes } from './axe.ts'
import { expect, open, PAGES, test } from './site.ts'

// Traces take longer than these tests.
test.use({ trace: 'off' })

test('axe finds nothing on any page, at any width', async ({ page }) => {
  for (const path of [...PAGES, '/unauthorized', '/no-such-page', '/login', '/invite#token', '/invite']) {
    await test.step(path, async () => {
      if (/^.(login|invite)/.test(path)) {
        await page.goto(path)
        await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      } else await open(page, path)
      for (const width of [360, 768, 1440]) {
        await page.setViewportSize({ width, height: 800 })
        await expectAccessible(page)
      }
    })
  }
})

for (const width of [360, 1440]) {
  test.describe(`at ${width} px, in the light and in the dark, axe finds nothing`, () => {
    test.use({ viewport: { width, height: 800 } })

    test('on a form with errors and on its result', async ({ page }) => {
      for (const [path, label] of [
        ['/contact', 'Send message'],
        ['/reviews', 'Send review'],
      ] as const) {
        await open(page, path)
        await page.getByRole('button', { name: label }).click()
        await expect(page.locator('[aria-invalid=true]')).toHaveCount(3)
        await expectAccessible(page)
      }
      await page.getByLabel('Name').fill('Ada')
      await page.getByRole('spinbutton', { name: 'Stars' }).fill('4')
      await page.getByRole('textbox', { name: 'Review' }).fill('Calm.')
      await page.getByRole('button', { name: 'Send review' }).click()
      await expect(page.getByRole('region', { name: 'Notices' })).toContainText('Review sent successfully')
      await expectAccessible(page)
    })

    test('with open answers', async ({ page }) => {
      await open(page, '/faq')
      for (const summary of await page.locator('summary').all()) await summary.click()
      await expectAccessible(page)
    })
  })
}

test.describe('at 360 px, in the light and in the dark, axe finds nothing', () => {
  test.use({ viewport: { width: 360, height: 800 } })

  test('with the menu open', async ({ page }) => {
    await open(page, '/')
    await page.getByRole('button', { name: 'Menu' }).click()
    await expect(page.getByRole('navigation', { name: 'Main' })).toBeVisible()
    await expectAccessible(page)
  })

  test.describe('on a first visit', () => {
    test.use({ isFirstVisit: true })

    test('with the greeting', async ({ page }) => {
      await open(page, '/privacy')
      await expect(page.getByRole('complementary', { name: /^Welcome to/ })).toBeVisible()
      await expectAccessible(page)
    })
  })
})

async function expectAccessible(page: Page): Promise<void> {
  expect(await violationsInBothSchemes(page), page.url()).toEqual([])
}
