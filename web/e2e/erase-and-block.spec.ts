import type { Page } from '@playwright/test'
import { violations } from './axe.ts'
import { Admin, Visitor } from './people.ts'
import { expect, someClientId, TRANSPORTS, test } from './test.ts'

const ERASED = 'This conversation was erased'
const RED = 'rgb(176, 38, 28)'
const LEAF = 'rgb(255, 255, 255)'
const head = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const panel = (page: Page) => page.getByRole('region', { name: 'Visitor', exact: true })

async function erase(page: Page): Promise<void> {
  await head(page, 'More about this conversation').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Erase conversation' }).click()
}

for (const [transport, env] of Object.entries(TRANSPORTS)) {
  test.describe(`in ${transport}`, () => {
    test.use({ env })

    test('a blocked visitor is refused, keeps the text, and writes again once unblocked', async ({
      browser,
      product,
      admin,
    }) => {
      await admin.page.setViewportSize({ width: 1400, height: 800 })
      const visitor = await Visitor.arrive(browser, product)
      await visitor.openChat()
      await visitor.send('hello')
      await admin.view(await visitor.clientId())
      await head(admin.page, 'Block').click()
      const menu = admin.page.getByRole('dialog', { name: 'Block this visitor' })
      await expect(menu.getByRole('button', { name: 'Unblock' })).toHaveCount(0)
      expect(await violations(admin.page)).toEqual([])
      await menu.getByRole('button', { name: '1 week' }).click()
      await expect(admin.page.getByText('Visitor blocked')).toBeVisible()
      await expect(panel(admin.page).getByText(/^Until /)).toBeVisible()
      await expect(admin.log.getByText(/You blocked the visitor until/)).toBeVisible()
      await expect(head(admin.page, 'Reopen')).toBeVisible()

      await visitor.type('let me in')
      await expect(visitor.panel.getByText(/You can't send messages here/)).toBeVisible()
      await expect(visitor.message('let me in')).toBeVisible()
      await expect(admin.message('let me in')).toHaveCount(0)

      await head(admin.page, 'Block').click()
      await menu.getByRole('button', { name: 'Unblock' }).click()
      await expect(admin.page.getByText('Visitor unblocked')).toBeVisible()
      await expect(panel(admin.page).getByText(/^Until /)).toHaveCount(0)
      await visitor.panel.getByRole('button', { name: /Retry|Send again|Try again/ }).click()
      await expect(admin.message('let me in')).toBeVisible()
      await visitor.leave()
    })

    test('erasing tells what goes, and every dashboard drops the conversation', async ({
      browser,
      product,
      admin,
    }) => {
      const clientId = someClientId()
      await product.post(clientId, 'forget this')
      const other = await Admin.signIn(browser, product)
      const list = await Admin.signIn(browser, product)
      await expect(list.row(clientId)).toBeVisible()
      await other.view(clientId)
      await expect(other.message('forget this')).toBeVisible()
      await admin.view(clientId)

      await erase(admin.page)
      const question = admin.page.getByRole('dialog', { name: 'Erase this conversation?' })
      await expect(question).toContainText('Existing backups still contain it')
      expect(await violations(admin.page)).toEqual([])
      await expect(question.getByRole('button', { name: 'Erase' })).toHaveCSS('background-color', RED)
      await expect(question.getByRole('button', { name: 'Cancel' })).toHaveCSS('background-color', LEAF)
      await question.getByRole('button', { name: 'Cancel' }).click()
      await expect(admin.message('forget this')).toBeVisible()
      await erase(admin.page)
      await question.getByRole('button', { name: 'Erase' }).click()
      await expect(admin.page.getByText('Conversation erased')).toBeVisible()
      await expect(admin.page).toHaveURL(/\/dashboard\/chats$/)

      await expect(other.page.getByRole('status').getByText(ERASED)).toBeVisible()
      await expect(other.page.getByText('forget this')).toHaveCount(0)
      expect(await violations(other.page)).toEqual([])
      await expect(list.row(clientId)).toHaveCount(0)
      await expect(admin.row(clientId)).toHaveCount(0)
      await other.leave()
      await list.leave()
    })
  })
}

test('a reply that was being written when the visitor erased the conversation can still be copied', async ({
  browser,
  product,
  admin,
}) => {
  const { page } = admin
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.setViewportSize({ width: 360, height: 780 })
  await page.emulateMedia({ colorScheme: 'dark' })
  const visitor = await Visitor.arrive(browser, product)
  await visitor.openChat()
  await visitor.send('forget this')
  const clientId = await visitor.clientId()
  await admin.goto(`/dashboard/messages/${clientId}`)
  await expect(admin.message('forget this')).toBeVisible()
  await admin.box.fill('a half typed reply')

  await visitor.panel.getByRole('button', { name: 'More', exact: true }).click()
  await visitor.page.getByRole('button', { name: 'Erase this conversation' }).click()
  await visitor.page.getByRole('dialog').getByRole('button', { name: 'Erase', exact: true }).click()

  await expect(page.getByRole('status').getByText(ERASED)).toBeVisible()
  const unsent = page.getByRole('region', { name: 'Your unsent reply' })
  await expect(unsent).toContainText('a half typed reply')
  await expect(page.locator('.erased-conversation')).toBeFocused()
  expect(await violations(page)).toEqual([])
  await unsent.getByRole('button', { name: 'Copy' }).click()
  await expect(unsent.getByRole('button', { name: 'Copied' })).toBeVisible()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('a half typed reply')
  await unsent.getByRole('button', { name: 'Discard' }).click()
  await expect(unsent).toHaveCount(0)

  await visitor.send('hello again')
  await expect(admin.message('hello again')).toBeVisible()
  await expect(admin.box).toHaveValue('')
  await visitor.leave()
})

test('an erased conversation is not asked for again until its visitor writes', async ({ product, admin }) => {
  const { page } = admin
  await page.setViewportSize({ width: 1400, height: 800 })
  const clientId = someClientId()
  await product.post(clientId, 'forget this')
  await admin.view(clientId)
  await expect(admin.message('forget this')).toBeVisible()
  await expect(panel(page).getByRole('button', { name: 'Edit' })).toBeVisible()
  // Known from the socket: the fact of the erase will come.
  await expect(page.locator('.conversation-head').getByText('Offline')).toBeVisible()
  // The client id is in the panel Visitor.
  await expect(page.locator('.conversation-head').getByText(/^[A-Za-z0-9]{20}$/)).toHaveCount(0)

  await product.callAsAdmin('DELETE', `/chat/admin/${clientId}`)
  await expect(page.getByRole('status').getByText(ERASED)).toBeVisible()
  await expect(panel(page).getByText('No details yet')).toBeVisible()
  await expect(admin.row(clientId)).toHaveCount(0)

  await product.post(clientId, 'hello again')
  await expect(admin.message('hello again')).toBeVisible()
  await expect(panel(page).getByRole('button', { name: 'Edit' })).toBeVisible()
  await expect(head(page, 'Resolve')).toBeVisible()

  await admin.goto(`/dashboard/messages/${someClientId()}`)
  await expect(panel(page).getByText('No details yet')).toBeVisible()
  expect(admin.complaints).toEqual([])
})

test('a block is seen in the head on a phone, also after a reload, until another admin lifts it', async ({
  product,
  admin,
}) => {
  const { page } = admin
  await page.setViewportSize({ width: 360, height: 780 })
  const clientId = someClientId()
  await product.post(clientId, 'hello')
  await admin.goto(`/dashboard/messages/${clientId}`)
  const blocked = page.locator('.conversation-head').getByText('Blocked', { exact: true })
  await head(page, 'More about this conversation').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Block' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Permanently' }).click()
  await expect(blocked).toBeVisible()
  await page.reload()
  await expect(blocked).toBeVisible()
  expect(await violations(page)).toEqual([])
  await product.callAsAdmin('DELETE', `/chat/admin/${clientId}/block`)
  await expect(blocked).toHaveCount(0)
})

test('a block says in the list until when, and Undo lifts it and restores the status', async ({
  product,
  admin,
}) => {
  const { page } = admin
  await page.setViewportSize({ width: 1400, height: 800 })
  const clientId = someClientId()
  await product.post(clientId, 'buy this')
  await admin.goto(`/dashboard/messages/${clientId}?tab=all`)
  await expect(admin.row(clientId)).toBeVisible()
  await head(page, 'Block').click()
  await page.getByRole('dialog').getByRole('button', { name: '1 day' }).click()
  await expect(admin.row(clientId)).toContainText(/Blocked until tomorrow, /)
  await expect(admin.row(clientId)).toContainText('Resolved')
  await page.getByRole('button', { name: 'Undo', exact: true }).click()
  await expect(page.getByText('Undone: Visitor blocked')).toBeVisible()
  await expect(admin.row(clientId)).not.toContainText(/Blocked|Resolved/)
  await expect(head(page, 'Resolve')).toBeVisible()
  await expect(admin.log.getByText('You unblocked the visitor')).toBeVisible()
  await expect(admin.log.getByText('You reopened this')).toBeVisible()

  await head(page, 'Block').click()
  await page.getByRole('dialog').getByRole('button', { name: 'Permanently' }).click()
  await expect(admin.row(clientId)).toContainText('Blocked permanently')
  expect(await violations(page)).toEqual([])
})

test('the conversation is downloaded as a file', async ({ product, admin }) => {
  const clientId = someClientId()
  await product.post(clientId, 'keep this')
  await admin.goto(`/dashboard/messages/${clientId}`)
  await head(admin.page, 'More about this conversation').click()
  const [download] = await Promise.all([
    admin.page.waitForEvent('download'),
    admin.page.getByRole('button', { name: 'Download conversation' }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`${clientId}.json`)
  const chunks: Buffer[] = []
  for await (const chunk of await download.createReadStream()) chunks.push(chunk)
  expect(JSON.parse(Buffer.concat(chunks).toString()).messages).toMatchObject([
    { from: 'you', text: 'keep this' },
  ])
})

test('the menus fit 360 px in the dark, and close with Escape', async ({ product, admin }) => {
  const { page } = admin
  const clientId = someClientId()
  await product.post(clientId, 'hello')
  await product.callAsAdmin('PATCH', `/chat/admin/${clientId}`, { labels: ['vip', 'w'.repeat(40)] })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 360, height: 780 })
  await admin.goto(`/dashboard/messages/${clientId}`)
  const more = head(page, 'More about this conversation')
  for (const name of ['Snooze', 'Assign', 'Labels', 'Block', null]) {
    await more.click()
    await expect(page.getByRole('dialog', { name: 'More' })).toBeVisible()
    if (name !== null) await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
    await expect(page.getByRole('dialog', { name: name ?? 'More' })).toBeVisible()
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)
    expect(overflow).toBeLessThanOrEqual(0)
    expect(await violations(page)).toEqual([])
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
    await expect(more).toBeFocused()
  }
})
