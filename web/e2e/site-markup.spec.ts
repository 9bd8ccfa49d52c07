import type { Browser, Page } from '@playwright/test'
import { editor, fillIn, photograph, publish } from './editor.ts'
import { hasJava, markupProblems } from './markup.ts'
import { Admin, Visitor } from './people.ts'
import { FreshProduct, type Product } from './product.ts'
import { ARTICLES, PAGES, POST } from './site.ts'
import { expect, someClientId, test } from './test.ts'

const DASHBOARD = [
  'add-blog',
  'add-review',
  'contacts',
  'my-blogs',
  'my-reviews',
  'chats',
  'replies',
  'team',
  'reports',
  'search?q=hello',
  'account',
  'no-such-page',
]

type Documents = Map<string, string>

// Traces take longer than this test.
test.use({ trace: 'off' })

test('every page is valid HTML, as served and in each state', async ({ browser }) => {
  test.setTimeout(480_000)
  const isJavaThere = await hasJava()
  if (!process.env.CI) test.skip(!isJavaThere, 'There is no Java.')
  expect(isJavaThere, 'Java is on the PATH').toBe(true)

  const documents: Documents = new Map()
  for (const [store, env] of [
    ['empty', {}],
    ['filled', { SEED_DEMO: 'true' }],
  ] as const) {
    const product = await FreshProduct.start({ PUBLIC_REVIEWS: 'moderated', RATE_LIMITS: 'off', ...env })
    if (store === 'filled') await fill(product)
    const pages: Documents = new Map()
    await test.step(`as served, ${store}`, () => addServedPages(product, pages))
    await test.step(`in a browser, ${store}`, () => addVisitedPages(browser, product, pages))
    await test.step(`admin area, ${store}`, () => addAdminPages(browser, product, pages))
    if (store === 'filled') {
      await test.step('dialogs and messages', () => addDialogs(browser, product, pages))
    }
    for (const [name, html] of pages) documents.set(`${store} store, ${name}`, html)
    await product.dispose()
  }
  expect(documents.size).toBeGreaterThan(80)
  expect(await markupProblems(documents)).toEqual([])
})

/** A post with an uploaded photograph, a conversation, a contact message and a review to approve. */
async function fill(product: Product): Promise<void> {
  await product.post(someClientId(), 'Is my exam on your list?\nhttps://example.org/exam')
  await submit(product, '/contact', { email: 'ada@example.org', title: 'My <exam>', message: 'Soon\n& far' })
  await submit(product, '/reviews', { name: 'Ada', star: '4.5', review: 'Calm.' })
}

async function submit(product: Product, path: string, form: Record<string, string>): Promise<string> {
  const answer = await fetch(product.url(path), { method: 'POST', body: new URLSearchParams(form) })
  return answer.text()
}

async function addServedPages(product: Product, documents: Documents): Promise<void> {
  for (const path of [
    ...new Set([...PAGES, ...ARTICLES, '/blogs?page=2', '/reviews?page=2']),
    '/unauthorized',
    '/no-such-page',
    '/login',
    '/invite',
    '/dashboard',
  ]) {
    documents.set(`${path} as served`, await (await fetch(product.url(path))).text())
  }
  for (const [path, form] of [
    ['/', { email: 'no address' }],
    ['/contact', { title: '"<b>' }],
    ['/contact', { email: 'ada@example.org', title: 'Hello', message: 'Hello' }],
    ['/reviews', { star: '9' }],
    ['/reviews', { name: 'Bo', star: '5', review: 'Clear.' }],
  ] as const) {
    const name = `${path} after sending ${Object.keys(form).join(', ')}`
    documents.set(name, await submit(product, path, form))
  }
}

async function addVisitedPages(browser: Browser, product: Product, documents: Documents): Promise<void> {
  const visitor = await Visitor.arrive(browser, product)
  const { page } = visitor
  const add = async (state: string) => documents.set(`${pathOf(page)} ${state}`, await page.content())

  await visitor.openChat()
  await add('with an empty chat')
  await visitor.send('hello https://example.org')
  await visitor.send('hello again')
  await add('with a conversation')
  await page.keyboard.press('Escape')
  await expect(visitor.panel).toBeHidden()

  for (const path of [...PAGES, '/unauthorized', '/no-such-page']) {
    await page.goto(product.url(path))
    await expect(visitor.launcher).toBeVisible()
    await add('in a browser')
    const form = page.locator('main form')
    if ((await form.count()) > 0) {
      await form.getByRole('button', { name: /^Send/ }).click()
      await expect(form.locator('[aria-invalid=true]')).toHaveCount(3)
      await add('with errors')
    }
  }
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(product.url('/faq'))
  await page.locator('summary').first().click()
  await page.getByRole('button', { name: 'Menu' }).click()
  await add('with an answer and the menu open')
  await visitor.leave()

  const phone = await Visitor.arrive(browser, product, { viewport: { width: 360, height: 740 } })
  await expect(phone.launcher).toBeVisible()
  documents.set('/ on a phone', await phone.page.content())
  await phone.openChat()
  documents.set('/ on a phone with the chat', await phone.page.content())
  await phone.leave()
}

async function addAdminPages(browser: Browser, product: Product, documents: Documents): Promise<void> {
  const context = await browser.newContext()
  const admin = new Admin(await context.newPage(), product)
  const { page } = admin
  const add = async (state: string) => documents.set(`${pathOf(page)} ${state}`, await page.content())

  await admin.goto('/dashboard/contacts')
  await expect(page).toHaveURL(product.url('/login'))
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await add('signed out')
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page.locator('[aria-invalid=true]')).toHaveCount(2)
  await add('with errors')
  await admin.fillIn('not the password')
  await expect(page.getByRole('alert')).not.toBeEmpty()
  await add('refused')
  await admin.fillIn()
  await expect(page).toHaveURL(product.url('/dashboard/contacts'))

  for (const path of DASHBOARD) {
    await admin.goto(`/dashboard/${path}`)
    await settled(page)
    await add('signed in')
    const submits = page.locator('main form:not(search form) button[type=submit]')
    if ((await submits.count()) > 0) {
      await submits.last().click()
      await expect(page.locator('[aria-invalid=true]').first()).toBeVisible()
      await add('with errors')
    }
  }
  await admin.goto(`/dashboard/messages/${someClientId()}`)
  await settled(page)
  documents.set('an empty conversation', await page.content())
  await admin.leave()
}

async function addDialogs(browser: Browser, product: Product, documents: Documents): Promise<void> {
  const admin = await Admin.signIn(browser, product)
  const { page } = admin
  const addDialog = async (button: RegExp) => {
    await page.getByRole('button', { name: button }).first().click()
    await expect(page.getByRole('dialog')).toBeVisible()
    documents.set(`${pathOf(page)} with the dialog of ${button}`, await page.content())
    await page.keyboard.press('Escape')
    await expect(page.getByRole('dialog')).toHaveCount(0)
  }

  await page.getByRole('link', { name: /^View/ }).first().click()
  await admin.send('Which one is it?')
  documents.set('a conversation', await page.content())

  await admin.goto('/dashboard/my-blogs')
  await addDialog(/^Delete/)
  await admin.goto('/dashboard/my-reviews')
  await addDialog(/^Edit/)
  await addDialog(/^Delete/)

  await admin.goto('/dashboard/add-blog')
  await fillIn(page, 'A photograph')
  for (const what of [/^Link$/, /^Image$/, /^Video$/]) await addDialog(what)
  await page.getByRole('button', { name: 'Image', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog
    .getByLabel('File')
    .setInputFiles({ name: 'a.jpg', mimeType: 'image/jpeg', buffer: await photograph() })
  await dialog.getByRole('button', { name: 'Insert' }).click()
  await expect(dialog.locator('[aria-invalid=true]')).toHaveCount(1)
  documents.set('the dialog for an image with an error', await page.content())
  await dialog.getByLabel('Alt text', { exact: true }).fill('A green square')
  await dialog.getByRole('button', { name: 'Insert' }).click()
  await expect(editor(page).locator('img')).toHaveCount(1)
  for (const summary of await page.locator('main summary').all()) await summary.click()
  documents.set('a draft with its preview', await page.content())
  await publish(page)
  documents.set('a published post', await page.content())

  for (const path of ['/', '/blogs', '/blog/a-photograph', POST]) {
    const name = `${path} beside a photograph`
    documents.set(`${name}, as served`, await (await fetch(product.url(path))).text())
    await admin.goto(path)
    await expect(page.getByRole('button', { name: /^Live chat/ })).toBeVisible()
    documents.set(name, await page.content())
  }
  await admin.goto('/dashboard/edit/a-photograph')
  await expect(editor(page).locator('img')).toHaveCount(1)
  documents.set('an edited post', await page.content())
  await page.getByRole('button', { name: 'Make preview link' }).click()
  await expect(page.getByRole('button', { name: 'Revoke link' })).toBeVisible()
  documents.set('an edited post with its preview link', await page.content())
  const preview = await page.locator('.preview-link code').textContent()
  await addDialog(/^Back to draft$/)
  documents.set('a preview, as served', await (await fetch(String(preview))).text())

  await admin.goto('/dashboard/add-blog')
  await page.getByLabel('Title').fill('Only begun')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page).toHaveURL(/\/edit\/only-begun$/)
  await expect(editor(page)).toBeVisible()
  documents.set('a draft', await page.content())
  await admin.goto('/dashboard/my-blogs?state=draft')
  await expect(page.getByRole('heading', { name: 'Only begun' })).toBeVisible()
  documents.set('the list of drafts', await page.content())
  await admin.leave()
}

async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  await expect(page.getByText('Loading', { exact: true })).toHaveCount(0)
}

function pathOf(page: Page): string {
  return new URL(page.url()).pathname
}
