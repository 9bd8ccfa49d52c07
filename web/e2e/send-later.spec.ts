import type { Page } from '@playwright/test'
import type { Scheduled, ScheduledList } from '@proctorpass/shared/schemas/scheduled'
import { violations } from './axe.ts'
import { picture } from './pictures.ts'
import type { Product } from './product.ts'
import { expect, someClientId, TRANSPORTS, test } from './test.ts'

const rows = (page: Page) => page.locator('[data-scheduled]')
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const path = (clientId: string) => `/chat/admin/${clientId}/scheduled`
const waiting = async (product: Product, clientId: string) =>
  (await product.callAsAdmin<ScheduledList>('GET', path(clientId))).scheduled

async function schedule(page: Page, time: string): Promise<void> {
  await button(page, 'More ways to send').click()
  await dialog(page, 'More ways to send').getByText('Send later', { exact: true }).click()
  await dialog(page, 'Send later').getByText(time, { exact: true }).click()
}

for (const [transport, env] of Object.entries(TRANSPORTS)) {
  test.describe(`in ${transport}`, () => {
    test.use({ env: { ...env, RATE_LIMITS: 'off' } })

    test('a message is scheduled, changed by a teammate, and sent in time', async ({ admin, product }) => {
      const { page } = admin
      const clientId = someClientId()
      await product.post(clientId, 'a question')
      await admin.goto(`/dashboard/messages/${clientId}`)
      await expect(admin.message('a question')).toBeVisible()
      await admin.box.fill('Good morning')
      await schedule(page, 'Tomorrow')
      await expect(rows(page)).toContainText('Scheduled for tomorrow, 9:00')
      await expect(rows(page)).toContainText('Good morning')
      await expect(admin.box).toHaveValue('')
      await expect(admin.log.getByText('You scheduled a message for')).toBeVisible()
      expect(await product.texts(clientId)).toEqual(['a question'])
      expect(await violations(page)).toEqual([])

      const [scheduled] = await waiting(product, clientId)
      const { _id, version } = scheduled as Scheduled
      const sendAt = new Date(Date.now() + 4_000).toISOString()
      await product.callAsAdmin('PATCH', `${path(clientId)}/${_id}`, { message: 'Hello', sendAt, version })
      await expect(rows(page)).toContainText('Hello')
      await expect(admin.message('Hello')).toBeVisible()
      await expect(rows(page)).toHaveCount(0)
      expect(await product.texts(clientId)).toEqual(['a question', 'Hello'])
    })

    test('a message of the visitor cancels it, unless it is sent anyway', async ({ admin, product }) => {
      const { page } = admin
      const clientId = someClientId()
      await product.post(clientId, 'a question')
      await admin.goto(`/dashboard/messages/${clientId}`)
      await expect(admin.message('a question')).toBeVisible()
      await admin.box.fill('First')
      await schedule(page, 'In 4 hours')
      await expect(rows(page)).toHaveCount(1)
      await admin.box.fill('Second')
      // The button remembers the way.
      await button(page, 'Send later').click()
      await dialog(page, 'Send later').getByLabel('Send anyway').check()
      await dialog(page, 'Send later').getByText('In 1 hour', { exact: true }).click()
      await expect(rows(page)).toHaveCount(2)
      await expect(rows(page).first()).toContainText('Sent anyway')
      await product.post(clientId, 'never mind')
      await expect(admin.message('never mind')).toBeVisible()
      await expect(rows(page)).toHaveCount(1)
      await expect(rows(page)).toContainText('Second')
      await expect(admin.log.getByText(/wrote first, so the message scheduled for .* “First”/)).toBeVisible()
    })
  })
}

test('a scheduled message is edited, sent now, and canceled', async ({ admin, product }) => {
  const { page } = admin
  const clientId = someClientId()
  await product.post(clientId, 'a question')
  await admin.goto(`/dashboard/messages/${clientId}`)
  await expect(admin.message('a question')).toBeVisible()
  await admin.box.fill('First')
  await schedule(page, 'Tomorrow')
  await button(page, 'Edit scheduled message').click()
  const edit = dialog(page, 'Edit scheduled message')
  expect(await violations(page)).toEqual([])
  await edit.getByLabel('Message').fill('')
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit.locator('.field-error')).not.toBeEmpty()
  await edit.getByLabel('Message').fill('Better')
  await edit.getByLabel('Send anyway').check()
  await edit.getByRole('button', { name: 'Save' }).click()
  await expect(edit).toHaveCount(0)
  await expect(rows(page)).toContainText('Better')
  expect(await waiting(product, clientId)).toMatchObject([{ message: 'Better', anyway: true, version: 2 }])

  await button(page, 'Send now').click()
  await expect(admin.message('Better')).toBeVisible()
  await expect(rows(page)).toHaveCount(0)
  await admin.box.fill('Not this')
  await schedule(page, 'Next Monday')
  await button(page, 'Cancel scheduled message').click()
  await expect(rows(page)).toHaveCount(0)
  await expect(admin.log).toBeFocused()
  await expect(admin.log.getByText(/You canceled the message scheduled for .* “Not this”/)).toBeVisible()
  expect(await product.texts(clientId)).toEqual(['a question', 'Better'])
})

test('a message that is refused stays in the box, and its files are sent later with it', async ({
  admin,
  product,
}) => {
  const { page } = admin
  const clientId = someClientId()
  await product.post(clientId, 'a question')
  await admin.goto(`/dashboard/messages/${clientId}`)
  await expect(admin.message('a question')).toBeVisible()
  await page.route(`**${path(clientId)}`, (route) =>
    route.request().method() === 'POST' ? route.abort() : route.continue(),
  )
  await page
    .locator('input[type=file]')
    .first()
    .setInputFiles({ name: 'plan.png', mimeType: 'image/png', buffer: await picture(80, 60) })
  await expect(page.locator('.file-tray')).toContainText('plan.png')
  await admin.box.fill('See the picture')
  await schedule(page, 'Tomorrow')
  await expect(dialog(page, 'Send later').getByRole('alert')).not.toBeEmpty()
  await expect(admin.box).toHaveValue('See the picture')
  await page.unrouteAll()
  await dialog(page, 'Send later').getByText('In 1 hour', { exact: true }).click()
  await expect(rows(page)).toContainText('See the picture')
  await expect(rows(page).getByRole('button', { name: /plan/ })).toBeVisible()
  await expect(admin.box).toHaveValue('')
  await expect(page.locator('.file-tray li')).toHaveCount(0)
  expect(await waiting(product, clientId)).toMatchObject([{ attachments: [{ name: 'plan.png' }] }])
  await button(page, 'Send now').click()
  await expect(admin.log.locator('[data-seq="2"]')).toContainText('See the picture')
  expect(await waiting(product, clientId)).toEqual([])
})
