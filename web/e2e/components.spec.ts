import { ADMIN } from '../../api/test/admin.ts'
import { startServer, temporaryDir } from '../../api/test/server-process.ts'
import { violationsInBothSchemes } from './axe.ts'
import { expect, test } from './test.ts'

test('the page of all components passes axe, and a tip names an icon button', async ({ page }, info) => {
  const data = temporaryDir('components')
  const server = await startServer({ dataDir: data.path, env: { SERVE_WEB: 'true' }, args: ['--dev'] })
  try {
    await page.goto(`${server.origin}/login`)
    // The development server has bundled the libraries once the page no longer reloads.
    await page.waitForLoadState('networkidle')
    await page.getByLabel('Username').fill(ADMIN.userName)
    await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/dashboard**')
    await page.goto(`${server.origin}/dashboard/components`)
    await expect(page.getByRole('heading', { level: 1, name: 'Components' })).toBeVisible()
    expect(await violationsInBothSchemes(page)).toEqual([])
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      const body = await page.locator('.dashboard-page').screenshot({ animations: 'disabled' })
      await info.attach(`components-${colorScheme}`, { body, contentType: 'image/png' })
    }

    const tip = page.locator('.tip')
    await page.getByRole('button', { name: 'Snooze', exact: true }).hover()
    await expect(tip).toHaveText('Snooze')
    await tip.hover()
    await expect(tip).toBeVisible()
    await page.keyboard.press('Escape')
    await expect(tip).toBeHidden()
    await page.getByRole('button', { name: 'Labels', exact: true }).focus()
    await page.keyboard.press('Tab')
    await expect(tip).toHaveText('Delete')

    await page.getByRole('button', { name: 'Show error' }).click()
    await expect(page.getByRole('region', { name: 'Notices' })).toContainText('This is error')
  } finally {
    await server.stop('SIGKILL')
    data.remove()
  }
})
