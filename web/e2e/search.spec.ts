import type { Locator, Page } from '@playwright/test'
import { signInAsAdmin } from '../../api/test/chat-client.ts'
import { violations } from './axe.ts'
import { ourAnswer, ourError } from './our-answer.ts'
import { Admin } from './people.ts'
import { expect, someClientId, test } from './test.ts'

test.use({ env: { RATE_LIMITS: 'off' } })

const field = (admin: Admin) => admin.page.getByRole('searchbox', { name: 'Search conversations' })
const results = (admin: Admin) => admin.page.getByRole('list', { name: /^Results for/ }).getByRole('link')
const marked = (locator: Locator) => locator.locator('mark')

/** Whether a message is inside the scrolling log, not only in the document. */
async function isOnScreen(admin: Admin, text: string): Promise<boolean> {
  // Both at once: rows above it get their heights meanwhile.
  return admin.message(text).evaluateAll((rows) => {
    const row = rows[0]?.getBoundingClientRect()
    const log = rows[0]?.closest('[role="log"]')?.getBoundingClientRect()
    return row !== undefined && log !== undefined && row.top >= log.top - 1 && row.bottom <= log.bottom + 1
  })
}

/** Notes in `window.marked` which messages are marked: they are for three seconds, between two looks of a slow test. */
async function noteMarked(page: Page): Promise<void> {
  await page.evaluate(() => {
    const marked: (string | undefined)[] = []
    Object.assign(window, { marked })
    new MutationObserver((changes) => {
      for (const { target } of changes) {
        if (target instanceof HTMLElement && 'found' in target.dataset) marked.push(target.dataset.seq)
      }
    }).observe(document, { subtree: true, attributeFilter: ['data-found'] })
  })
}

test('a search by keyboard leads to an old message in its place', async ({ product, browser }) => {
  const clientId = someClientId()
  for (let number = 1; number <= 330; number++) {
    await product.post(clientId, number === 30 ? 'Is the Ménagerie open?' : `message ${number}`)
  }
  const admin = await Admin.signIn(browser, product)
  await expect(admin.row(clientId)).toBeVisible()
  await admin.page.keyboard.press('/')
  await expect(field(admin)).toBeFocused()
  await expect(admin.page.getByRole('search', { name: 'Search conversations' })).toBeVisible()
  await admin.page.keyboard.type('menagerie op')
  await admin.page.keyboard.press('Enter')

  await expect(results(admin)).toHaveCount(1)
  await expect(marked(results(admin))).toHaveText(['Ménagerie', 'open'])
  await expect(admin.page.getByRole('status').filter({ hasText: '1 result' })).toBeVisible()
  await expect(field(admin)).toHaveValue('menagerie op')
  await field(admin).focus()
  await admin.page.keyboard.press('ArrowDown')
  await expect(results(admin)).toBeFocused()
  await admin.page.keyboard.press('ArrowUp')
  await expect(field(admin)).toBeFocused()
  await admin.page.keyboard.press('ArrowDown')
  await expect(results(admin)).toBeFocused()
  await noteMarked(admin.page)
  await admin.page.keyboard.press('Enter')

  await expect(admin.page).toHaveURL(new RegExp(`/dashboard/messages/${clientId}\\?seq=30$`))
  const found = admin.log.locator('[data-seq="30"]')
  await expect(found).toBeFocused()
  await expect.poll(() => admin.page.evaluate(() => Reflect.get(window, 'marked'))).toEqual(['30'])
  await expect.poll(() => isOnScreen(admin, 'Is the Ménagerie open?')).toBe(true)
  await expect(admin.message('message 29')).toBeVisible()
  await expect(admin.message('message 31')).toBeVisible()
  await expect(found).not.toHaveAttribute('data-found')
  expect(await isOnScreen(admin, 'Is the Ménagerie open?')).toBe(true)

  // Reading on leads through every message to the newest one.
  await expect(admin.message('message 330')).toHaveCount(0)
  await expect(async () => {
    await admin.log.evaluate((log) => {
      log.scrollTop = log.scrollHeight
    })
    await expect(admin.message('message 330')).toBeVisible({ timeout: 100 })
  }).toPass()
  const seqs = await admin.log
    .locator('[data-seq]')
    .evaluateAll((rows) => rows.map((row) => Number((row as HTMLElement).dataset.seq)))
  expect(seqs).toEqual(Array.from(seqs, (_, index) => (seqs[0] ?? 0) + index))
  expect(seqs.at(-1)).toBe(330)
  await expect(admin.page.getByRole('button', { name: 'Newest messages' })).toHaveCount(0)
  expect(admin.complaints).toEqual([])
  await admin.leave()
})

test('from an old message, a button and an answer lead to the newest', async ({ product, browser }) => {
  const clientId = someClientId()
  for (let number = 1; number <= 130; number++) await product.post(clientId, `message ${number}`)
  const admin = await Admin.signIn(browser, product, `/dashboard/messages/${clientId}?seq=20`)
  await expect.poll(() => isOnScreen(admin, 'message 20')).toBe(true)
  await admin.page.getByRole('button', { name: 'Newest messages' }).click()
  await expect.poll(() => isOnScreen(admin, 'message 130')).toBe(true)

  await admin.goto(`/dashboard/messages/${clientId}?seq=20`)
  await expect.poll(() => isOnScreen(admin, 'message 20')).toBe(true)
  await product.post(clientId, 'one more')
  await expect(admin.message('one more')).toHaveCount(0)
  await admin.send('an answer')
  await expect.poll(() => isOnScreen(admin, 'an answer')).toBe(true)
  await expect(admin.message('one more')).toBeVisible()

  await admin.goto(`/dashboard/messages/${clientId}?seq=9999`)
  await expect(admin.page.getByText("This message isn't here anymore")).toBeVisible()
  await expect.poll(() => isOnScreen(admin, 'an answer')).toBe(true)
  await admin.leave()
})

test('messages, visitors, notes and contacts are found, and each leads to its place', async ({
  product,
  admin,
}) => {
  const clientId = someClientId()
  await product.post(clientId, '我的摄像头坏了')
  const tell = await fetch(product.url(`/api/chat/${clientId}/profile`), {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Zoë Heron' }),
  })
  expect(tell.status).toBe(200)
  await fetch(product.url('/api/contacts'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: 'zoe@example.org', title: 'Hours', message: 'When do you open?' }),
  })

  const { accessToken } = await signInAsAdmin(product.origin)
  const noted = await fetch(product.url(`/api/chat/admin/${clientId}/notes`), {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${accessToken}` },
    body: JSON.stringify({ nonce: 'nonce-of-the-note', text: 'Sent a new link' }),
  })
  expect(noted.status).toBe(201)

  await admin.goto('/dashboard/search?q=new+link')
  await expect(results(admin)).toContainText('Note')
  await results(admin).click()
  await expect(admin.log.locator('[data-n]').filter({ hasText: 'Sent a new link' })).toBeFocused()

  await admin.goto(`/dashboard/search?q=${encodeURIComponent('摄像')}`)
  await expect(marked(results(admin))).toHaveText(['摄像'])
  await expect(results(admin)).toContainText('Zoë Heron')
  await results(admin).click()
  await expect(admin.message('我的摄像头坏了')).toBeVisible()

  await admin.goto('/dashboard/search?q=zoe')
  await expect(results(admin)).toHaveCount(2)
  await expect(results(admin).filter({ hasText: 'Contact' })).toContainText('zoe@example.org')
  await results(admin).filter({ hasText: 'Visitor' }).click()
  await expect(admin.page).toHaveURL(product.url(`/dashboard/messages/${clientId}`))
  await admin.page.goBack()
  await results(admin).filter({ hasText: 'Contact' }).click()
  await expect(admin.page.getByRole('heading', { name: 'Contact', level: 1 })).toBeVisible()
  await expect(admin.page.getByText('When do you open?')).toBeVisible()
  expect(await violations(admin.page)).toEqual([])
})

test('every state says what it is, at 360 px too', async ({ product, browser }) => {
  const clientId = someClientId()
  for (let number = 1; number <= 25; number++) {
    await product.post(clientId, `refund ${number} ${'and a word '.repeat(number)}${'x'.repeat(80)}`)
  }
  const admin = await Admin.signIn(browser, product, '/dashboard/search', {
    viewport: { width: 360, height: 720 },
    reducedMotion: 'reduce',
  })
  const { page } = admin
  const check = async () => {
    expect(await violations(page)).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  }
  await expect(page.getByText('Search messages, notes, visitors, and contacts')).toBeVisible()
  await expect(field(admin)).toBeFocused()
  await check()

  await field(admin).fill('absent')
  await field(admin).press('Enter')
  await expect(page.getByText('Nothing found')).toBeVisible()
  await check()

  await field(admin).fill('"refund 7 and"')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await expect(marked(results(admin))).toHaveText(['refund 7 and'])

  await field(admin).fill('refund')
  await field(admin).press('Enter')
  await expect(results(admin)).toHaveCount(20)
  await expect(results(admin).first()).toContainText('refund 25')
  await check()
  await page.getByRole('button', { name: 'Older results' }).click()
  await expect(results(admin)).toHaveCount(25)
  await expect(page.getByText('25 results')).toBeVisible()

  await page.route('**/api/search?*', (route) =>
    route.fulfill(
      ourError(route.request(), 429, { message: "You're searching too often.", code: 'rate-limited' }),
    ),
  )
  await field(admin).fill('another')
  await field(admin).press('Enter')
  await expect(page.getByRole('alert')).toContainText("You're searching too often.")
  await check()
  await page.unroute('**/api/search?*')
  await page.route('**/api/search?*', (route) =>
    route.fulfill(ourAnswer(route.request(), { hits: [], next: null, indexing: true })),
  )
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(
    page.getByText('The search index is being built, so older results may be missing.'),
  ).toBeVisible()
  await check()
  await admin.leave()
})

test('results mark words and numbers however they are written', async ({ product, browser }) => {
  await product.post(someClientId(), 'ขอคืนเงินค่าสอบ, ring +1 (415) 555-0177')
  const admin = await Admin.signIn(browser, product)
  for (const [query, mark] of [
    ['ค่าสอบ', 'ค่าสอบ'],
    ['4155550177', '415) 555-0177'],
  ] as const) {
    await admin.page.goto(`${product.origin}/dashboard/search?q=${encodeURIComponent(query)}`)
    await expect(marked(results(admin))).toHaveText([mark])
    await expect(results(admin)).toContainText('ขอคืนเงินค่าสอบ, ring +1 (415) 555-0177')
  }
})

test('typed and chosen filters narrow a search, and keys lead through its results', async ({
  product,
  browser,
}) => {
  const clientId = someClientId()
  for (const text of ['A refund please', 'My refund is late', 'Hello']) await product.post(clientId, text)
  const admin = await Admin.signIn(browser, product, `/dashboard/messages/${clientId}`)
  const { page } = admin
  await admin.send('The refund was sent')
  const chip = (words: string) => page.getByRole('button', { name: `Remove filter: ${words}`, exact: true })
  const choose = page.getByRole('combobox', { name: 'Add filter' })

  // What a visitor wrote last week about refunds.
  await admin.goto('/dashboard/chats')
  await expect(admin.row(clientId)).toBeVisible()
  await page.keyboard.press('/')
  await page.keyboard.type('refund from:visitor after:7d')
  await page.keyboard.press('Enter')
  await expect(results(admin)).toHaveCount(2)
  await expect(chip('From: visitors')).toBeVisible()
  await expect(chip('Last 7 days')).toBeVisible()
  await expect(field(admin)).toHaveValue('refund')
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('ArrowDown')
  await expect(results(admin).nth(0)).toBeFocused()
  await page.keyboard.press('j')
  await expect(results(admin).nth(1)).toBeFocused()
  await page.keyboard.press('k')
  await expect(results(admin).nth(0)).toBeFocused()
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(new RegExp(`/dashboard/messages/${clientId}\\?seq=2$`))

  // The filters stay with other words, and each can be removed.
  await page.goBack()
  await expect(results(admin)).toHaveCount(2)
  await field(admin).fill('hello')
  await field(admin).press('Enter')
  await expect(results(admin)).toHaveText([/Hello/])
  await chip('Last 7 days').click()
  await expect(chip('Last 7 days')).toHaveCount(0)
  await expect(choose).toBeFocused()

  // A filter needs no words.
  await field(admin).fill('')
  await field(admin).press('Enter')
  await expect(results(admin)).toHaveCount(3)
  await choose.selectOption('You')
  await expect(chip('From: you')).toBeVisible()
  await expect(results(admin)).toHaveText([/The refund was sent/])
  await choose.selectOption('With files')
  await expect(page.getByText('Nothing found')).toBeVisible()

  // An admin's name leads to their messages, and a wrong value says so.
  await field(admin).fill('from:admin')
  await field(admin).press('Enter')
  await chip('With files').click()
  await expect(results(admin)).toHaveText([/The refund was sent/])
  await field(admin).fill('from:nobody')
  await field(admin).press('Enter')
  await expect(page.getByRole('alert')).toBeVisible()
  await page.setViewportSize({ width: 320, height: 568 })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  expect(await violations(page)).toEqual([])
  await admin.leave()
})

test('a search is saved, stands in the menu with its count, and is deleted', async ({ product, browser }) => {
  const clientId = someClientId()
  for (let number = 1; number <= 3; number++) await product.post(clientId, `walrus ${number}`)
  const admin = await Admin.signIn(browser, product, '/dashboard/search?q=walrus&from=visitor')
  const { page } = admin
  const dialog = page.getByRole('dialog')
  const name = dialog.getByRole('textbox', { name: 'Name' })
  const entry = (label: string) =>
    page.getByRole('navigation', { name: 'Dashboard' }).getByRole('link', { name: label, exact: true })
  await expect(results(admin)).toHaveCount(3)

  await results(admin).first().focus()
  await page.keyboard.press('s')
  await expect(name).toHaveValue('walrus')
  await name.fill('x'.repeat(61))
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('Use 60 characters or fewer')).toBeVisible()
  await name.fill('Walruses')
  await page.keyboard.press('Enter')
  await expect(dialog).toHaveCount(0)
  await expect(entry('Walruses 3 results')).toHaveAttribute('aria-current', 'page')
  await expect(page.getByRole('button', { name: 'Delete saved search' })).toBeVisible()

  // Another search cannot take its name.
  await admin.goto('/dashboard/search?q=nothing')
  await page.getByRole('button', { name: 'Save search' }).click()
  await name.fill('WALRUSES')
  await page.keyboard.press('Enter')
  await expect(dialog.getByText('This name is taken. Choose another one.')).toBeVisible()
  await expect(name).toBeFocused()
  expect(await violations(page)).toEqual([])
  await page.keyboard.press('Escape')

  // The command menu leads to it from any page.
  await admin.goto('/dashboard/contacts')
  await expect(entry('Walruses 3 results')).toBeVisible()
  await page.keyboard.press('ControlOrMeta+k')
  await expect(page.getByRole('combobox', { name: 'Find a command' })).toBeFocused()
  await page.keyboard.type('search walruses')
  await page.keyboard.press('Enter')
  await expect(page).toHaveURL(product.url('/dashboard/search?q=walrus&from=visitor'))
  await expect(results(admin)).toHaveCount(3)

  // On a phone, the menu closes over the same page.
  await page.setViewportSize({ width: 320, height: 568 })
  await admin.goto('/dashboard/search?q=nothing')
  await page.getByRole('button', { name: 'Menu' }).click()
  await entry('Walruses 3 results').click()
  await expect(entry('Walruses 3 results')).toBeHidden()
  await expect(results(admin)).toHaveCount(3)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320)
  expect(await violations(page)).toEqual([])

  await page.getByRole('button', { name: 'Delete saved search' }).click()
  await dialog.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect(page.getByRole('button', { name: 'Save search' })).toBeVisible()
  await page.setViewportSize({ width: 1280, height: 720 })
  await expect(entry('Walruses 3 results')).toHaveCount(0)
  await admin.leave()
})
