import type { Page } from '@playwright/test'
import { expect, test } from './test.ts'

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
  const link = page.locator('link[rel="manifest"]')
  await expect(link).toHaveAttribute('href', '/dashboard.webmanifest')
  await page.goto(product.url('/unauthorized'))
  await expect(link).toHaveAttribute('href', '/manifest.webmanifest')
  await page.evaluate(() => {
    history.pushState(null, '', '/login')
    dispatchEvent(new PopStateEvent('popstate'))
  })
  await expect(page.getByRole('heading', { name: 'Admin area' })).toBeVisible()
  await expect(link).toHaveAttribute('href', '/dashboard.webmanifest')
})
