import { readFileSync } from 'node:fs'
import { violationsInBothSchemes } from './axe.ts'
import { expect, test } from './test.ts'

test('the audit log says who did what, is filtered, and exported', async ({ admin, product }) => {
  const { page } = admin
  await product.configure({ retentionDays: 90 })
  await page.setViewportSize({ width: 360, height: 740 })
  await admin.goto('/dashboard/audit')
  const entries = page.getByRole('list', { name: 'Entries, newest first' })
  const newest = entries.getByRole('list').first().getByRole('listitem').first()
  await expect(newest).toContainText(
    'admin changed the time before old conversations are erased: never → 90 days',
  )
  await expect(entries.getByRole('heading', { level: 2 }).first()).toHaveText(/^\w+day, \w+ \d+, \d{4}$/)
  expect(await violationsInBothSchemes(page)).toEqual([])

  await page.getByRole('button', { name: 'Export as CSV' }).focus()
  await page.keyboard.press('Tab')
  await expect(page.getByLabel('Who')).toBeFocused()
  await page.keyboard.press('Tab')
  const what = page.getByLabel('What')
  await expect(what).toBeFocused()
  await page.keyboard.type('signed in')
  await expect(what).toHaveValue('session.started')
  await expect(what).toBeFocused()
  await expect(newest).toContainText('admin signed in')
  await expect(entries.getByText('changed the time')).toHaveCount(0)
  await page.getByRole('textbox', { name: 'To' }).fill('2020-01-01')
  await expect(page.getByText('No entries')).toBeVisible()
  await page.getByRole('textbox', { name: 'To' }).fill('')
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export as CSV' }).click()
  const csv = readFileSync(await (await download).path(), 'utf8')
  expect(csv).toContain('"n","at","by","action","target","details","address","hash"')
  expect(csv).toContain('session.started')
  expect(csv).not.toContain('settings.changed')
})
