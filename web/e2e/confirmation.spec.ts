import { readFileSync } from 'node:fs'
import type { Page } from '@playwright/test'
import { violationsInBothSchemes } from './axe.ts'
import { ADMIN } from './product.ts'
import { expect, someClientId, test } from './test.ts'

const asking = (page: Page) => page.getByRole('dialog', { name: "Confirm it's you" })
const password = (page: Page) => asking(page).getByLabel('Password')

test('erasing asks for the password once the confirmation is old, and goes on', async ({
  admin,
  product,
}) => {
  const { page } = admin
  await page.setViewportSize({ width: 360, height: 740 })
  const clientId = someClientId()
  await product.post(clientId, 'forget this')
  await admin.goto(`/dashboard/messages/${clientId}`)
  await expect(admin.message('forget this')).toBeVisible()
  product.outdateConfirmations()
  await page.getByRole('button', { name: 'More about this conversation' }).click()
  await page.getByRole('button', { name: 'Erase conversation' }).click()
  await page.getByRole('button', { name: 'Erase', exact: true }).click()

  await expect(password(page)).toBeFocused()
  expect(await violationsInBothSchemes(page)).toEqual([])
  await page.keyboard.type('wrong')
  await page.keyboard.press('Enter')
  await expect(asking(page).getByText("That's not your password.")).toBeVisible()
  await expect(password(page)).toBeFocused()
  await page.keyboard.type(ADMIN.password)
  await page.keyboard.press('Enter')
  await expect(page.getByText('Conversation erased')).toBeVisible()
  await expect(asking(page)).toHaveCount(0)
  await expect(page).toHaveURL(/\/dashboard\/chats$/)
  await expect(admin.row(clientId)).toHaveCount(0)
})

test('a download asks too, stops when it is canceled, and is not asked for again', async ({
  admin,
  product,
}) => {
  const { page } = admin
  await admin.goto('/dashboard/audit')
  const exporting = page.getByRole('button', { name: 'Export as CSV' })
  await expect(exporting).toBeVisible()
  product.outdateConfirmations()
  await exporting.focus()
  await page.keyboard.press('Enter')
  await expect(password(page)).toBeFocused()
  await page.keyboard.press('Escape')
  await expect(page.getByText("Nothing was changed, because you didn't confirm that it's you.")).toBeVisible()
  await expect(asking(page)).toHaveCount(0)
  await expect(exporting).toBeFocused()

  const first = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  await password(page).fill(ADMIN.password)
  await page.keyboard.press('Enter')
  const csv = readFileSync(await (await first).path(), 'utf8')
  expect(csv).toContain('"n","at","by","action","target","details","address","hash"')
  await expect(exporting).toBeFocused()

  const second = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  expect((await second).suggestedFilename()).toBe('audit.csv')
  await expect(asking(page)).toHaveCount(0)
})
