import type { Page } from '@playwright/test'
import { expect, someClientId, test } from './test.ts'

const ways = (page: Page) => page.getByRole('button', { name: 'More ways to send' })
const choose = async (page: Page, name: string) => {
  await ways(page).click()
  const entry = page.getByRole('dialog', { name: 'More ways to send' }).getByText(name, { exact: true })
  await entry.click()
}
const way = (page: Page, name: string) =>
  page.locator('.answer-box').getByRole('button', { name, exact: true })

test('the keys send, resolve, and go on; Undo takes back only the status', async ({ admin, product }) => {
  const [first, second] = [someClientId(), someClientId()]
  await product.post(first, 'Where is my order?')
  await product.post(second, 'Hello?')
  const { page } = admin
  await admin.goto(`/dashboard/messages/${first}`)
  await expect(admin.message('Where is my order?')).toBeVisible()
  await admin.box.fill('On its way.')
  await page.keyboard.press('ControlOrMeta+Shift+Enter')
  await expect(page).toHaveURL(new RegExp(second))
  await expect(page.getByText(/^Resolved /)).toBeVisible()
  await page.getByRole('button', { name: 'Undo' }).click()
  await expect(page.getByText(/^Undone: Resolved /)).toBeVisible()
  await admin.goto(`/dashboard/messages/${first}`)
  await expect(admin.message('On its way.')).toHaveCount(1)
  await expect(page.getByRole('list', { name: 'State' })).toContainText('Open')
  await expect(page.getByRole('list', { name: 'State' })).toContainText('Assigned to you')
})

test('the button remembers the last way, and Enter only sends', async ({ admin, product }) => {
  const clientId = someClientId()
  await product.post(clientId, 'Where is my order?')
  const { page } = admin
  await admin.goto(`/dashboard/messages/${clientId}`)
  const state = page.getByRole('list', { name: 'State' })
  await choose(page, 'Send and resolve')
  await expect(admin.box).toBeFocused()
  await page.reload()
  await expect(way(page, 'Send and resolve')).toBeVisible()
  await admin.send('Only sent')
  await expect(state).toContainText('Open')
  await admin.box.fill('Done')
  await way(page, 'Send and resolve').click()
  await admin.expectSent('Done')
  await expect(state).toContainText('Resolved')
  await expect(page.getByText('No other conversations are waiting')).toBeVisible()

  // A letter goes to its entry.
  await ways(page).click()
  await expect(page.getByRole('dialog', { name: 'More ways to send' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('s')
  await expect(page.getByRole('button', { name: 'Send and snooze' })).toBeFocused()
  await page.keyboard.press('Enter')
  await admin.box.fill('Tomorrow')
  await way(page, 'Send and snooze').click()
  await page.keyboard.press('t')
  await page.keyboard.press('Enter')
  await admin.expectSent('Tomorrow')
  await expect(state).toContainText('Snoozed until tomorrow')
  await choose(page, 'Send')
  await expect(way(page, 'Send')).toBeVisible()
})

test('snoozing goes on to the next conversation by three keys', async ({ admin, product }) => {
  const [first, second] = [someClientId(), someClientId()]
  await product.post(first, 'Where is my order?')
  await product.post(second, 'Hello?')
  const { page } = admin
  await admin.goto(`/dashboard/messages/${first}`)
  await expect(admin.message('Where is my order?')).toBeVisible()
  await page.waitForLoadState('networkidle')
  await admin.box.press('Escape')
  for (const key of ['s', 't', 'Enter']) await page.keyboard.press(key)
  await expect(page).toHaveURL(new RegExp(second))
  await expect(page.getByText(/^Snoozed .* until tomorrow/)).toBeVisible()
})

test('a held reply keeps its status, and goes nowhere', async ({ admin, product }) => {
  const [first, second] = [someClientId(), someClientId()]
  await product.post(first, 'Where is my order?')
  await product.post(second, 'Hello?')
  const { page } = admin
  await admin.goto(`/dashboard/messages/${first}`)
  await expect(admin.message('Where is my order?')).toBeVisible()
  await page.context().setOffline(true)
  await admin.box.fill('On its way.')
  await page.keyboard.press('ControlOrMeta+Shift+Enter')
  await expect(admin.message('On its way.')).toBeVisible()
  await product.post(first, 'I found it.')
  await page.context().setOffline(false)
  await expect(
    page.getByText('There are newer messages. Check your reply: sending it also resolves the conversation.'),
  ).toBeVisible()
  await expect(page).toHaveURL(new RegExp(first))
  await expect(page.getByRole('list', { name: 'State' })).toContainText('Open')
  await admin.log.getByRole('button', { name: 'Send' }).click()
  await expect(page.getByRole('list', { name: 'State' })).toContainText('Resolved')
})
