import type { Browser, Locator, Page } from '@playwright/test'
import { aliasOf } from '@proctorpass/shared/alias'
import type { ConversationChange } from '@proctorpass/shared/schemas/inbox'
import { violations, violationsInBothSchemes } from './axe.ts'
import { Admin } from './people.ts'
import type { Product } from './product.ts'
import { expect, freshTest, someClientId, test } from './test.ts'

test.use({ env: { RATE_LIMITS: 'off' } })

const HOUR_MS = 3_600_000
const PASSWORD = 'a long enough password'

/** Visitors who wait in this order. */
async function waiting<N extends number>(product: Product, count: N) {
  const ids = Array.from({ length: count }, someClientId)
  for (const id of ids) await product.post(id, `the question of ${id}`)
  return ids as N extends 2 ? [string, string] : [string, string, string]
}

const change = (product: Product, clientId: string, wanted: ConversationChange) =>
  product.callAsAdmin('PATCH', `/chat/admin/${clientId}`, wanted)

/** The clientIds in the list, in its order. */
const listed = (page: Page) =>
  page
    .locator('tbody .conversations-alias')
    .evaluateAll((names: HTMLElement[]) => names.map(({ title }) => title))

const tab = (page: Page, name: string): Locator => page.getByRole('tab', { name: new RegExp(`^${name}\\b`) })
const choose = (page: Page, clientId: string) =>
  page.getByRole('checkbox', { name: `Select ${aliasOf(clientId)}` })
const bar = (page: Page) => page.getByRole('group', { name: 'Selected conversations' })
const notices = (page: Page) => page.getByRole('region', { name: 'Notices' })

/** Another admin, by a call of the API. */
async function invite(product: Product, userName: string) {
  const { invite: link } = await product.callAsAdmin<{ invite: string }>('POST', '/team', { userName })
  const send = (path: string, body: object, token?: string, method = 'POST') =>
    fetch(product.url(`/api${path}`), {
      method,
      headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
      body: JSON.stringify(body),
    })
  const answer = await send('/invite', { token: link.split('#')[1], password: PASSWORD })
  const { accessToken, user_Id } = (await answer.json()) as { accessToken: string; user_Id: string }
  return {
    userId: user_Id,
    change: async (clientId: string, wanted: ConversationChange) => {
      const { ok, status } = await send(`/chat/admin/${clientId}`, wanted, accessToken, 'PATCH')
      expect(ok, String(status)).toBe(true)
    },
    async signIn(browser: Browser): Promise<Admin> {
      const admin = new Admin(await (await browser.newContext()).newPage(), product)
      await admin.goto('/dashboard/chats')
      await admin.page.getByLabel('Username').fill(userName)
      await admin.page.getByLabel('Password', { exact: true }).fill(PASSWORD)
      await admin.page.getByRole('button', { name: 'Sign in', exact: true }).click()
      await admin.page.waitForURL(product.url('/dashboard/chats'))
      return admin
    },
  }
}

test('tabs count, and filters combine and stay in the address', async ({ admin, product }) => {
  const { page } = admin
  const [first, second, third] = await waiting(product, 3)
  const [fourth, fifth] = await waiting(product, 2)
  await change(product, second, { labels: ['Refund'] })
  await change(product, third, { labels: ['Refund'], status: 'resolved' })
  await change(product, fourth, {
    status: 'snoozed',
    snoozedUntil: new Date(Date.now() + HOUR_MS).toISOString(),
  })
  await product.reply(fifth, 'mine by answering')
  await product.callAsAdmin('PATCH', `/chat/admin/${first}/visitor`, {
    name: 'Noor',
    examAt: new Date(Date.now() + 3 * HOUR_MS).toISOString(),
  })
  const counts = { Open: 3, Mine: 1, Unassigned: 2, 'Exam soon': 1, Snoozed: 1, Resolved: 1, All: 5 }
  for (const [name, count] of Object.entries(counts))
    await expect(tab(page, name)).toHaveText(`${name} ${count}`)
  await expect(tab(page, 'Open')).toHaveAttribute('aria-selected', 'true')
  await expect.poll(() => listed(page)).toEqual([first, second, fifth])
  await expect(admin.row(first)).toContainText('Noor')
  await expect(admin.row(first)).toContainText('Exam in 3 hours')
  await expect(admin.row(second)).toContainText(aliasOf(second))
  await expect(admin.row(second)).toContainText('Refund')
  await expect(admin.row(fifth)).toContainText('Assigned to You')

  await tab(page, 'All').click()
  await expect(page).toHaveURL(product.url('/dashboard/chats?tab=all'))
  await expect.poll(() => listed(page)).toEqual(expect.arrayContaining([first, second, third, fourth, fifth]))
  await expect(admin.row(fourth)).toContainText('Snoozed until')
  const filters = page.getByRole('group', { name: 'Filters' })
  await filters.getByLabel('Label').selectOption('Refund')
  await expect.poll(() => listed(page)).toEqual([second, third])
  await filters.getByLabel('Assignee').selectOption('Unassigned')
  // The address changes first.
  await filters.getByLabel('Unread').click()
  await expect(page).toHaveURL(product.url('/dashboard/chats?tab=all&label=Refund&assignee=none&unread=1'))
  await page.reload()
  await expect.poll(() => listed(page)).toEqual([second, third])
  await expect(filters.getByLabel('Label')).toHaveValue('Refund')

  await admin.view(second)
  await expect
    .poll(() => product.callAsAdmin('GET', `/chat/admin/${second}/summary`))
    .toMatchObject({ adminUnread: 0 })
  await page.getByRole('link', { name: 'All conversations' }).first().click()
  await expect(page).toHaveURL(product.url('/dashboard/chats?tab=all&label=Refund&assignee=none&unread=1'))
  // It was read meanwhile.
  await expect.poll(() => listed(page)).toEqual([third])
  await filters.getByRole('button', { name: 'Clear filters' }).click()
  await expect(page).toHaveURL(product.url('/dashboard/chats?tab=all'))
  await page.goBack()
  await expect(filters.getByLabel('Label')).toHaveValue('Refund')
})

freshTest('a change reaches two browsers, and a third that polls', async ({ admin, browser, product }) => {
  const [first, second] = await waiting(product, 2)
  const other = await (await invite(product, 'grace')).signIn(browser)
  // The names of the team are read again.
  await admin.page.reload()
  const polling = new Admin(await (await browser.newContext()).newPage(), product)
  await polling.page.routeWebSocket('**/socket.io/**', (socket) => socket.close())
  await polling.goto('/dashboard/chats')
  await polling.fillIn()
  const pages = [admin.page, other.page, polling.page]
  for (const page of pages) await expect.poll(() => listed(page)).toEqual([first, second])

  await choose(other.page, first).check()
  await bar(other.page).getByRole('button', { name: 'Assign' }).click()
  await other.page.getByRole('dialog', { name: 'Assign' }).getByRole('button', { name: 'You' }).click()
  for (const { page, row } of [admin, polling].map((each) => ({ page: each.page, row: each.row(first) }))) {
    await expect(row).toContainText('Assigned to grace')
    await expect(tab(page, 'Unassigned')).toHaveText('Unassigned 1')
  }
  await expect(tab(other.page, 'Mine')).toHaveText('Mine 1')

  await choose(other.page, first).check()
  await bar(other.page).getByRole('button', { name: 'Resolve' }).click()
  for (const page of pages) {
    await expect.poll(() => listed(page)).toEqual([second])
    await expect(tab(page, 'Resolved')).toHaveText('Resolved 1')
  }
  // The visitor writes again: it is open again.
  await product.post(first, 'one more thing')
  for (const page of pages) {
    await expect.poll(() => listed(page)).toEqual([second, first])
    await expect(tab(page, 'Open')).toHaveText('Open 2')
  }
  await other.leave()
  await polling.leave()
})

freshTest(
  'undo brings back what several conversations were, except what another admin changed since',
  async ({ admin, product }) => {
    const { page } = admin
    const [first, second, third] = await waiting(product, 3)
    const other = await invite(product, 'grace')
    await expect.poll(() => listed(page)).toEqual([first, second, third])

    await choose(page, first).click()
    await choose(page, third).click({ modifiers: ['Shift'] })
    await expect(bar(page)).toContainText('3 selected')
    await bar(page).getByRole('button', { name: 'Label' }).click()
    const labels = page.getByRole('dialog', { name: 'Labels' })
    await labels.getByLabel('Find or add a label').fill('vip')
    await page.keyboard.press('Enter')
    await expect(labels.getByRole('checkbox', { name: 'vip' })).toBeChecked()
    await labels.getByRole('button', { name: 'Save' }).click()
    await expect(notices(page)).toContainText('Labels saved: 3 conversations')
    for (const clientId of [first, second, third]) await expect(admin.row(clientId)).toContainText('vip')
    await expect(bar(page)).toHaveCount(0)

    await page.getByRole('checkbox', { name: 'Select all' }).check()
    await bar(page).getByRole('button', { name: 'Resolve' }).click()
    await expect(page.getByText('No messages found!')).toBeVisible()
    // The newest notice is the first; while the pointer is on it none goes away.
    const undo = notices(page).getByRole('button', { name: 'Undo' }).first()
    await expect(notices(page)).toContainText('Resolved 3 conversations')
    await undo.hover()
    await expect(tab(page, 'Resolved')).toHaveText('Resolved 3')
    await other.change(second, { assigneeId: other.userId })
    await undo.click()
    await expect(notices(page)).toContainText('Undone, except for 1 that a teammate changed in the meantime')
    await expect.poll(async () => (await listed(page)).toSorted()).toEqual([first, third].toSorted())
    await expect(tab(page, 'Resolved')).toHaveText('Resolved 1')
    await expect(admin.row(first)).toContainText('vip')
  },
)

freshTest(
  'of two who change a conversation at once, the second is told who was first',
  async ({ admin, product }) => {
    const { page } = admin
    const [first, second] = await waiting(product, 2)
    const other = await invite(product, 'grace')
    await page.reload()
    await expect.poll(() => listed(page)).toEqual([first, second])
    await page.route(`**/chat/admin/${first}`, async (route) => {
      if (route.request().method() === 'PATCH') await other.change(first, { assigneeId: other.userId })
      await route.continue()
    })
    await choose(page, first).check()
    await bar(page).getByRole('button', { name: 'Assign' }).click()
    const menu = page.getByRole('dialog', { name: 'Assign' })
    // The names of the team are read.
    await expect(menu.getByRole('button', { name: 'grace' })).toBeVisible()
    await menu.getByRole('button', { name: 'You' }).click()
    await expect(notices(page)).toContainText("Couldn't save: grace changed this conversation first")
    await expect(admin.row(first)).toContainText('Assigned to grace')
  },
)

test('the open conversation stays in its list when it no longer matches', async ({ admin, product }) => {
  const { page } = admin
  const [first, second, third] = await waiting(product, 3)
  for (const clientId of [first, second, third]) await change(product, clientId, { labels: ['vip'] })
  await admin.goto('/dashboard/chats?tab=unassigned&label=vip')
  await admin.view(second)
  await expect.poll(() => listed(page)).toEqual([first, second, third])
  await change(product, second, { status: 'resolved', labels: [] })
  await expect(admin.row(second)).toContainText('Resolved')
  expect(await listed(page)).toEqual([first, second, third])
  await page.getByRole('link', { name: 'Next in line' }).click()
  await expect.poll(() => listed(page)).toEqual([first, third])
  await expect(page).toHaveURL(/\?tab=unassigned&label=vip$/)
})

test('conversations are chosen, snoozed and brought back by keyboard', async ({ admin, product }) => {
  const { page } = admin
  const [first, second, third] = await waiting(product, 3)
  await expect.poll(() => listed(page)).toEqual([first, second, third])
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await expect(choose(page, first)).toBeChecked()
  await page.keyboard.press('j')
  await page.keyboard.press('x')
  await expect(bar(page)).toContainText('2 selected')
  for (let press = 0; press < 9; press += 1) {
    await page.keyboard.press('Tab')
    const focused = await page.evaluate(() => document.activeElement?.textContent)
    if (focused === 'Snooze') break
  }
  await page.keyboard.press('Enter')
  await expect(page.getByRole('dialog', { name: 'Snooze' })).toBeVisible()
  await page.keyboard.press('ArrowDown')
  await expect(page.getByRole('button', { name: /^In 4 hours/ })).toBeFocused()
  await page.keyboard.press('Enter')
  await expect.poll(() => listed(page)).toEqual([third])
  await expect(page.getByRole('link', { name: /^View/ })).toBeFocused()
  // The rows go before the answer comes: undo waits for it.
  await page.keyboard.press('Control+z')
  await expect(notices(page)).toContainText('Undone: Snoozed 2 conversations until')
  await expect.poll(() => listed(page)).toEqual([first, second, third])

  // Without a selection, keys act on the row with the focus.
  await page.keyboard.press('k')
  await page.keyboard.press('l')
  const labels = page.getByRole('dialog', { name: 'Labels' })
  await labels.getByLabel('Find or add a label').pressSequentially('jex')
  await page.keyboard.press('Escape')
  await expect(labels).toBeHidden()
  await expect(bar(page)).toContainText('1 selected')
  await page.keyboard.press('e')
  await expect(notices(page)).toContainText('Resolved')
  await expect.poll(async () => (await listed(page)).length).toBe(2)

  await page.getByRole('tab', { selected: true }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(product.url('/dashboard/chats?tab=mine'))
})

test('thank-yous need no answer with one key, and stay open', async ({ admin, product }) => {
  const { page } = admin
  const [first, second, third] = await waiting(product, 3)
  await expect.poll(() => listed(page)).toEqual([first, second, third])
  await page.keyboard.press('j')
  await page.keyboard.press('d')
  await expect(notices(page)).toContainText('No answer needed')
  await expect.poll(() => listed(page)).toEqual([second, third, first])
  await page.keyboard.press('Control+z')
  await expect.poll(() => listed(page)).toEqual([first, second, third])

  await choose(page, second).check()
  await choose(page, third).check()
  const button = bar(page).getByRole('button', { name: 'Needs no answer' })
  await button.click()
  await expect(notices(page)).toContainText('No answer needed: 2 conversations')
  await expect(tab(page, 'Open')).toContainText('3')
  await choose(page, second).check()
  await expect(button).toBeDisabled()
  await choose(page, first).check()
  await expect(button).toBeEnabled()
  await page.keyboard.press('?')
  await expect(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Needs no answer')
})

test('a snooze takes a time of one’s own, in the future', async ({ admin, product }) => {
  const { page } = admin
  const [first, second] = await waiting(product, 2)
  await choose(page, first).check()
  await bar(page).getByRole('button', { name: 'Snooze' }).click()
  const menu = page.getByRole('dialog', { name: 'Snooze' })
  const field = menu.getByLabel('Date and time')
  await field.fill('2020-01-01T09:00')
  await menu.getByRole('button', { name: 'Snooze', exact: true }).click()
  await expect(menu).toContainText('Choose a time in the future')
  const day = new Date(Date.now() + 48 * HOUR_MS).toISOString().slice(0, 10)
  await field.fill(`${day}T09:00`)
  await menu.getByRole('button', { name: 'Snooze', exact: true }).click()
  await expect.poll(() => listed(page)).toEqual([second])
  await tab(page, 'Snoozed').click()
  await expect(admin.row(first)).toContainText(/Snoozed until .*9:00/)
})

test.describe('on a phone', () => {
  test.use({ hasTouch: true, viewport: { width: 390, height: 844 } })

  test('conversations are chosen and labeled by thumb', async ({ browser, product }) => {
    const [first, second] = await waiting(product, 2)
    const viewport = { width: 390, height: 844 }
    const admin = await Admin.signIn(browser, product, '/dashboard/chats', { viewport, hasTouch: true })
    const { page } = admin
    await expect(choose(page, first)).toBeHidden()
    await page.getByRole('button', { name: 'Select', exact: true }).tap()
    await expect(choose(page, first)).toBeVisible()
    await expect(bar(page)).toContainText('0 selected')
    // A tap anywhere on the row chooses it.
    await admin.row(first).tap()
    await expect(bar(page)).toContainText('1 selected')
    await admin.row(second).tap()
    await expect(bar(page)).toContainText('2 selected')
    await admin.row(second).tap()
    await expect(bar(page)).toContainText('1 selected')
    await bar(page).getByRole('button', { name: 'Label' }).tap()
    const labels = page.getByRole('dialog', { name: 'Labels' })
    await labels.getByLabel('Find or add a label').fill('refund')
    await labels.getByRole('button', { name: 'Add “refund”' }).tap()
    await expect(labels.getByRole('checkbox', { name: 'refund' })).toBeChecked()
    expect(await small(page)).toEqual([])
    await labels.getByRole('button', { name: 'Save' }).tap()
    await expect(admin.row(first)).toContainText('refund')
    await expect(bar(page)).toHaveCount(0)

    await page.getByRole('button', { name: 'Filters' }).tap()
    await page.getByLabel('Label', { exact: true }).selectOption('refund')
    await expect.poll(() => listed(page)).toEqual([first])
    expect(await small(page)).toEqual([])
    await tab(page, 'All').tap()
    await expect(page).toHaveURL(product.url('/dashboard/chats?tab=all&label=refund'))
    await expect(tab(page, 'All')).toBeInViewport()
    await admin.row(first).tap()
    await expect(page).toHaveURL(product.url(`/dashboard/messages/${first}?tab=all&label=refund`))
    await admin.leave()
  })
})

/** The elements that are too small for a thumb. */
function small(page: Page): Promise<string[]> {
  return page
    .locator(
      ':is(main, dialog) :is(button, a, select, label.checkbox, label.conversations-select, input[type="text"]):visible',
    )
    .evaluateAll((targets) =>
      targets
        .filter((target) => !target.closest('.conversations-action'))
        .map((target) => ({ target, box: target.getBoundingClientRect() }))
        .filter(({ box }) => box.width > 0 && (box.height < 44 || box.width < 44))
        .map(({ target, box }) => `${target.outerHTML} ${box.width} x ${box.height}`),
    )
}

test('an empty tab says what to do', async ({ admin }) => {
  const { page } = admin
  const words = {
    '': 'open the site',
    '?tab=mine': 'assign it to yourself',
    '?tab=unassigned': 'New ones appear here',
    '?tab=exam-soon': 'in the next 24 hours',
    '?tab=snoozed': 'put it aside',
    '?tab=resolved': 'opens again when the visitor writes',
    '?tab=all': 'open the site',
    '?tab=all&unread=1': 'Clear filters',
  }
  for (const [search, next] of Object.entries(words)) {
    await admin.goto(`/dashboard/chats${search}`)
    await expect(page.getByRole('tabpanel')).toContainText(next)
    expect(await violations(page), search).toEqual([])
  }
  await expect(page.getByRole('main').getByRole('button', { name: 'Clear filters' })).toHaveCount(2)
})

for (const width of [1280, 768, 390]) {
  test(`axe finds nothing in any state, in both schemes, ${width} px`, async ({ browser, product }) => {
    const [first, second, third] = await waiting(product, 3)
    await change(product, first, { labels: ['refund', 'vip', 'three', 'four'] })
    await product.reply(second, 'an answer')
    await product.callAsAdmin('PATCH', `/chat/admin/${third}/visitor`, {
      examAt: new Date(Date.now() + HOUR_MS).toISOString(),
    })
    const viewport = { width, height: 900 }
    const admin = await Admin.signIn(browser, product, '/dashboard/chats', { viewport })
    const { page } = admin
    await expect(admin.row(first)).toContainText('+1')
    expect(await violationsInBothSchemes(page)).toEqual([])
    if (width < 600) {
      await page.getByRole('button', { name: 'Select', exact: true }).click()
      await page.getByRole('button', { name: 'Filters' }).click()
    }
    await choose(page, first).click()
    await choose(page, third).click()
    expect(await violationsInBothSchemes(page)).toEqual([])
    for (const name of ['Assign', 'Snooze', 'Label']) {
      await bar(page).getByRole('button', { name }).click()
      await expect(page.getByRole('dialog')).toBeVisible()
      expect(await violationsInBothSchemes(page), name).toEqual([])
      await page.keyboard.press('Escape')
      await expect(page.getByRole('dialog')).toHaveCount(0)
    }
    await bar(page).getByRole('button', { name: 'Resolve' }).click()
    await expect(notices(page).getByRole('button', { name: 'Undo' })).toBeVisible()
    expect(await violationsInBothSchemes(page)).toEqual([])
    const beyond = await page.evaluate(() => {
      const main = document.querySelector('main')
      return (main?.scrollWidth ?? 0) - (main?.clientWidth ?? 0)
    })
    expect(beyond, 'scrolls sideways').toBeLessThanOrEqual(0)
    await admin.leave()
  })
}
