import type { Page } from '@playwright/test'
import { aliasOf } from '@proctorpass/shared/alias'
import { violations } from './axe.ts'
import { Visitor } from './people.ts'
import { expect, someClientId, TRANSPORTS, test } from './test.ts'

const head = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const tab = (page: Page, name: string) => page.getByRole('tab', { name: new RegExp(`^${name}\\b`) })
const notices = (page: Page) => page.getByRole('region', { name: 'Notices' })
/** The clientIds in the list, in its order. */
const listed = (page: Page) =>
  page
    .locator('tbody .conversations-alias')
    .evaluateAll((names: HTMLElement[]) => names.map(({ title }) => title))

for (const [transport, env] of Object.entries(TRANSPORTS)) {
  test.describe(`in ${transport}`, () => {
    test.use({ env: { ...env, RATE_LIMITS: 'off' } })

    test('spam is marked with one key, stays silent, and is taken back', async ({
      admin,
      browser,
      product,
    }) => {
      const { page } = admin
      await page.setViewportSize({ width: 1400, height: 800 })
      const visitor = await Visitor.arrive(browser, product)
      await visitor.openChat()
      await visitor.send('buy now')
      const clientId = await visitor.clientId()
      const waits = someClientId()
      await product.post(waits, 'a question')
      await admin.goto(`/dashboard/messages/${clientId}`)
      await expect(admin.message('buy now')).toBeVisible()
      await expect(admin.row(waits)).toBeVisible()
      await page.keyboard.press('Escape')
      await page.keyboard.press('!')
      // It goes on to the visitor who waits.
      await page.waitForURL(new RegExp(waits))
      await expect(admin.row(clientId)).toHaveCount(0)
      await expect(notices(page)).toContainText(`Marked ${aliasOf(clientId)} as spam`)

      await visitor.send('buy more')
      await admin.goto('/dashboard/chats?tab=spam')
      await expect.poll(() => listed(page)).toEqual([clientId])
      await expect(admin.row(clientId)).toContainText('buy more')
      await expect(tab(page, 'Spam')).toContainText('1')
      await expect(tab(page, 'All')).toContainText('1')
      expect(await violations(page)).toEqual([])
      await admin.goto(`/dashboard/messages/${clientId}?tab=spam`)
      await expect(admin.message('buy more')).toBeVisible()
      await expect(admin.log.getByText('You marked this as spam')).toBeVisible()
      await expect(head(page, 'Resolve')).toHaveCount(0)
      expect(await violations(page)).toEqual([])
      await head(page, 'Not spam').click()
      await expect(head(page, 'Resolve')).toBeVisible()
      await expect(admin.log.getByText('You marked this as not spam')).toBeVisible()
      await page.getByRole('button', { name: 'Undo', exact: true }).click()
      await expect(notices(page)).toContainText(`Undone: Marked ${aliasOf(clientId)} as not spam`)
      await expect(head(page, 'Not spam')).toBeVisible()
      await visitor.leave()
    })
  })
}

test('chosen conversations are marked as spam, and Undo restores each as it was', async ({
  admin,
  product,
}) => {
  const { page } = admin
  const ids = [someClientId(), someClientId(), someClientId()] as const
  for (const id of ids) await product.post(id, 'a question')
  const change = (clientId: string, wanted: object) =>
    product.callAsAdmin('PATCH', `/chat/admin/${clientId}`, wanted)
  const snoozedUntil = new Date(Date.now() + 3_600_000).toISOString()
  await change(ids[1], { status: 'snoozed', snoozedUntil })
  await admin.goto('/dashboard/chats?tab=all')
  await expect.poll(() => listed(page)).toEqual([...ids])
  for (const id of ids.slice(0, 2))
    await page.getByRole('checkbox', { name: `Select ${aliasOf(id)}` }).check()
  await page
    .getByRole('group', { name: 'Selected conversations' })
    .getByRole('button', { name: 'Spam' })
    .click()
  await expect.poll(() => listed(page)).toEqual([ids[2]])
  await expect(notices(page)).toContainText('Marked 2 conversations as spam')
  await page.keyboard.press('Control+z')
  await expect(notices(page)).toContainText('Undone: Marked 2 conversations as spam')
  await expect.poll(() => listed(page)).toEqual([...ids])
  await expect(admin.row(ids[1])).toContainText('Snoozed until')

  await page.getByRole('checkbox', { name: `Select ${aliasOf(ids[0])}` }).check()
  await page.keyboard.press('!')
  await expect.poll(() => listed(page)).toEqual([ids[1], ids[2]])
  await tab(page, 'Spam').click()
  await expect.poll(() => listed(page)).toEqual([ids[0]])
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('combobox').fill('not spam')
  await expect(page.getByRole('option', { name: /^Not spam/ })).toBeVisible()
  await page.keyboard.press('Escape')
  await page.getByRole('checkbox', { name: `Select ${aliasOf(ids[0])}` }).check()
  await page.getByRole('button', { name: 'Not spam' }).click()
  await expect(page.getByText('Conversations that you mark as spam stay here for 30 days')).toBeVisible()
})

test.describe('on a phone', () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } })

  test('spam is marked by thumb', async ({ admin, product }) => {
    const { page } = admin
    const clientId = someClientId()
    await product.post(clientId, 'buy now')
    await admin.goto(`/dashboard/messages/${clientId}`)
    await head(page, 'More about this conversation').tap()
    await page.getByRole('dialog').getByRole('button', { name: 'Spam' }).tap()
    await expect(head(page, 'Not spam')).toBeVisible()
    await expect(notices(page)).toContainText('Marked')
    expect(await violations(page)).toEqual([])
    await head(page, 'Not spam').tap()
    await expect(head(page, 'Resolve')).toBeVisible()
  })
})
