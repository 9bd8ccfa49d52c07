import type { Page } from '@playwright/test'
import { openStores } from '../../api/src/storage/open-storage.ts'
import { violationsInBothSchemes } from './axe.ts'
import { Admin } from './people.ts'
import { FreshProduct } from './product.ts'
import { expect, freshTest as test } from './test.ts'

const SLUG = 'can-proctoru-see-my-screen'
const ARTICLE = `/dashboard/pages/article:${SLUG}`

/** The notice alone may be of the save before. */
async function saveAs(page: Page, notice = 'Text saved'): Promise<void> {
  const saved = page.waitForResponse(
    (answer) => answer.request().method() !== 'GET' && /\/api\/(?:texts|faq)\b/.test(answer.url()),
  )
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  expect((await saved).ok()).toBe(true)
  await expect(page.getByText(notice).first()).toBeVisible()
}

/** Waits until the form has its text. */
async function openArticle(page: Page): Promise<void> {
  await expect(page.getByRole('textbox', { name: 'Content' })).toBeVisible()
}

test('an admin edits an article, compares it, and goes back to the shipped text', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/pages')
  const { page } = admin
  const row = page.getByRole('listitem').filter({ hasText: `/blog/${SLUG}` })
  await expect(row).toContainText('Shipped')
  await row.getByRole('link', { name: /see my screen/ }).click()
  await openArticle(page)

  // The preview follows the form.
  const summary = page.getByLabel('Summary')
  await summary.fill('Only you decide what we see.')
  const preview = page.frameLocator('iframe[title="Preview of the page"]')
  await expect(preview.getByText('Only you decide what we see.')).toBeAttached()
  const frame = page.locator('iframe[title="Preview of the page"]')
  const widths = page.getByRole('group', { name: 'Preview width' })
  for (const [name, width] of [
    ['Phone', 390],
    ['Tablet', 768],
    ['Desktop', 1280],
  ] as const) {
    await widths.getByRole('radio', { name }).check()
    await expect.poll(() => frame.evaluate((each: HTMLIFrameElement) => each.clientWidth)).toBe(width)
  }
  await page.getByLabel('Author').fill('')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await expect(page.getByText('This field is required')).toBeVisible()
  await expect(page.getByLabel('Author')).toBeFocused()
  await page.getByLabel('Author').fill('Ada')
  await saveAs(page)

  const visitor = await browser.newPage()
  await visitor.goto(product.url(`/blog/${SLUG}`))
  await expect(visitor.getByText('Only you decide what we see.')).toBeVisible()
  await visitor.close()

  await page.getByRole('button', { name: 'Compare with the shipped text' }).click()
  const compared = page.getByRole('dialog', { name: 'Compare with the shipped text' })
  await expect(compared.getByRole('insertion').filter({ hasText: 'Only you decide' })).toBeVisible()
  await expect(compared.getByRole('definition')).toHaveCount(2)
  await compared.getByRole('button', { name: 'Close' }).click()

  await page.reload()
  await openArticle(page)
  await page.getByRole('button', { name: 'Back to the shipped text' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Back to the shipped text' }).click()
  await expect(summary).not.toHaveValue('Only you decide what we see.')
  await admin.goto('/dashboard/pages')
  await expect(row).toContainText('Shipped')
  await admin.leave()
})

test('the sentences of the editor are on the page, and an earlier version comes back', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/pages/privacy')
  const { page } = admin
  const content = page.getByRole('textbox', { name: 'Content' })
  await content.fill('We keep nothing but your questions.')
  await saveAs(page)
  await content.fill('We keep nothing at all.')
  await page.getByRole('button', { name: 'History' }).click()
  const history = page.getByRole('dialog', { name: 'History' })
  await expect(history.getByRole('button', { name: 'Restore' })).toBeDisabled()
  await history.getByRole('button', { name: 'Close' }).click()
  await saveAs(page)
  const visitor = await browser.newPage()
  await visitor.goto(product.url('/privacy'))
  await expect(visitor.getByText('We keep nothing at all.')).toBeVisible()

  await page.getByRole('button', { name: 'History' }).click()
  await expect(history.getByRole('listitem')).toHaveCount(3)
  await expect(history.getByRole('deletion').filter({ hasText: 'but your questions' })).toBeVisible()
  await expect(history.getByRole('insertion').filter({ hasText: 'at all' })).toBeVisible()
  await history
    .getByRole('listitem')
    .filter({ hasText: 'Version 1' })
    .getByRole('button', { name: 'Restore' })
    .click()
  await expect(history).toBeHidden()
  await expect(content).toHaveText('We keep nothing but your questions.')
  await visitor.reload()
  await expect(visitor.getByText('We keep nothing but your questions.')).toBeVisible()
  await visitor.close()
  await admin.leave()
})

test('an admin whose text is out of date loses nothing', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, ARTICLE)
  const { page } = admin
  await openArticle(page)
  await page.getByLabel('Summary').fill('My own summary.')
  const other = await Admin.signIn(browser, product, ARTICLE)
  await other.page.getByLabel('Summary').fill('What the other admin wrote.')
  await saveAs(other.page)
  await other.leave()

  await page.getByRole('button', { name: 'Save', exact: true }).click()
  const conflict = page.getByRole('region', { name: 'Someone else saved this text while you were editing' })
  await expect(conflict.getByRole('deletion')).toContainText('What the other admin wrote')
  await expect(page.getByLabel('Summary')).toHaveValue('My own summary.')
  await conflict.getByRole('button', { name: 'Keep mine' }).click()
  await saveAs(page)
  await page.reload()
  await expect(page.getByLabel('Summary')).toHaveValue('My own summary.')
  await admin.leave()
})

test('the home page is a form of its parts', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/pages/home')
  const { page } = admin
  await page.getByLabel('Headline', { exact: true }).fill('Sit your exam\ncalmly.')
  await page.getByRole('button', { name: 'Add step' }).click()
  await expect(page.getByLabel('Step 4', { exact: true })).toBeFocused()
  await page.getByLabel('Step 4', { exact: true }).fill('Sleep')
  await page.getByLabel('Step 4, text').fill('Eight hours.')
  await page.getByRole('button', { name: 'Move up: Step 4' }).click()
  await expect(page.getByLabel('Step 3', { exact: true })).toHaveValue('Sleep')
  await page.getByRole('button', { name: 'Remove: Price 1' }).click()
  await saveAs(page)
  await page.goto(product.url('/'))
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Sit your exam calmly.')
  await expect(page.locator('.steps h3')).toHaveText([/.*/, /.*/, 'Sleep', /.*/])
  await expect(page.locator('.prices dt')).toHaveCount(2)
  await admin.leave()
})

/** Writes texts that an admin edited under a release that shipped others. */
async function writeOldTexts(dataDir: string): Promise<void> {
  const { storage } = await openStores({ dataDir })
  const text = { version: 1, at: Date.now(), by: null, own: true, base: 'older' }
  for (const [key, lead] of [
    ['terms', 'Giraffes agree.'],
    ['privacy', 'Our own privacy.'],
  ]) {
    await storage.texts.write({ _id: `en ${key}`, ...text, fields: JSON.stringify({ lead }) })
  }
  await storage.close()
}

test('an edited text says that the shipped one has changed, until an admin compares and decides', async ({
  browser,
}) => {
  const product = await FreshProduct.start({}, { fill: writeOldTexts })
  try {
    const admin = await Admin.signIn(browser, product, '/dashboard/pages')
    const { page } = admin
    const row = (path: string) => page.getByRole('listitem').filter({ hasText: path })
    await expect(row('/terms')).toContainText('The shipped text has changed')
    await expect(row('/contact')).not.toContainText('The shipped text has changed')

    await row('/terms').getByRole('link', { name: 'Terms' }).click()
    const note = page.getByRole('status').filter({ hasText: 'The shipped text has changed' })
    await expect(note).toBeVisible()
    expect(await violationsInBothSchemes(page)).toEqual([])
    await page.getByRole('button', { name: 'Compare with the shipped text' }).click()
    const compared = page.getByRole('dialog', { name: 'Compare with the shipped text' })
    await expect(compared.getByRole('insertion').filter({ hasText: 'Giraffes' })).toBeVisible()
    await expect(compared.getByRole('deletion')).not.toHaveCount(0)
    await compared.getByRole('button', { name: 'Close' }).click()
    // Saving keeps the own text.
    await saveAs(page)
    await expect(note).toBeHidden()
    await expect(page.getByLabel('Lead')).toHaveValue('Giraffes agree.')

    await admin.goto('/dashboard/pages/privacy')
    await expect(note).toBeVisible()
    await page.getByRole('button', { name: 'Back to the shipped text' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Back to the shipped text' }).click()
    await expect(note).toBeHidden()
    await expect(page.getByLabel('Lead')).not.toHaveValue('Our own privacy.')
    await admin.goto('/dashboard/pages')
    await expect(row('/terms')).toContainText('Edited')
    await expect(row('/privacy')).toContainText('Shipped')
    await expect(page.getByText('The shipped text has changed')).toHaveCount(0)
    await admin.leave()
  } finally {
    await product.dispose()
  }
})

test('a text is translated into a language that is switched on', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/pages/terms')
  const { page } = admin
  await page.getByLabel('Language').selectOption({ label: 'Chinese' })
  await expect(page.getByText('Not translated yet')).toBeVisible()
  await page.getByLabel('Lead').fill('请先阅读。')
  await saveAs(page)
  await page.goto(product.url('/terms?lang=zh'))
  await expect(page.getByText('请先阅读。')).toBeVisible()
  await admin.goto('/dashboard/pages')
  await page.getByRole('link', { name: 'Terms, Chinese' }).click()
  await page.getByRole('button', { name: 'Remove translation' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove translation' }).click()
  await expect(page.getByText('Not translated yet')).toBeVisible()
  await admin.leave()
})

test('questions are ordered by the keyboard, added, edited, and deleted', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/faq')
  const { page } = admin
  const questions = page.locator('[data-question]')
  const first = (await questions.nth(0).locator('div').first().textContent()) ?? ''
  const second = (await questions.nth(1).locator('div').first().textContent()) ?? ''
  const down = page.getByRole('button', { name: `Move down: ${first}` })
  await down.focus()
  await page.keyboard.press('Enter')
  await expect(questions.nth(0)).toContainText(second)
  await expect(questions.nth(1)).toContainText(first)
  await expect(down).toBeFocused()
  await expect(page.getByText(/is now 2 of \d+ in/)).toBeAttached()
  await expect
    .poll(async () => (await (await fetch(product.url('/api/faq'))).json()).items[0].question)
    .toBe(second)

  // By its handle, over the next one.
  const handle = questions.nth(0).locator('.question-handle')
  const from = await handle.boundingBox()
  const over = await questions.nth(1).boundingBox()
  if (!from || !over) throw new Error('The questions are not on the screen.')
  await page.mouse.move(from.x + 5, from.y + 5)
  await page.mouse.down()
  await page.mouse.move(from.x + 5, over.y + over.height - 4, { steps: 5 })
  await page.mouse.up()
  await expect(questions.nth(0)).toContainText(first)
  await expect
    .poll(async () => (await (await fetch(product.url('/api/faq'))).json()).items[0].question)
    .toBe(first)

  await admin.goto('/dashboard/faq?question=giraffes')
  await expect(page.getByLabel('Question')).toHaveValue('giraffes')
  await page.getByLabel('Question').fill('May my giraffes watch?')
  await page.getByRole('textbox', { name: 'Answer' }).fill('No, only you.')
  await saveAs(page, 'Question added')
  await page.getByRole('link', { name: 'Edit: May my giraffes watch?' }).click()
  await page.getByRole('textbox', { name: 'Answer' }).fill('No. Only you may.')
  await saveAs(page)
  await expect(page.getByRole('button', { name: 'Back to the shipped text' })).toBeHidden()
  const visitor = await browser.newPage()
  await visitor.goto(product.url('/faq'))
  await visitor.getByRole('heading', { name: 'May my giraffes watch?' }).click()
  await expect(visitor.getByText('No. Only you may.')).toBeVisible()
  await visitor.close()

  await admin.goto('/dashboard/faq')
  await page.getByRole('button', { name: 'Delete: May my giraffes watch?' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await expect(page.getByText('May my giraffes watch?')).toHaveCount(0)
  await admin.leave()
})

test('a deleted question comes back by Undo, with its place, history, and translations', async ({
  browser,
  product,
}) => {
  const id = 'how-do-refunds-work'
  const zh = { question: '怎么退款？', answer: '<p>五天</p>', version: 0 }
  await product.callAsAdmin('PATCH', `/faq/${id}?lang=zh`, zh)
  await product.callAsAdmin('PATCH', `/faq/${id}`, { answer: '<p>Mine</p>', version: 0 })
  const faq = async (lang: string) => (await (await fetch(product.url(`/api/faq?lang=${lang}`))).json()).items
  const before = [await faq('en'), await faq('zh')]
  const question = before[0].find((each: { _id: string }) => each._id === id).question
  const versions = await product.callAsAdmin('GET', `/texts/faq:${id}/versions`)

  const admin = await Admin.signIn(browser, product, '/dashboard/faq')
  const { page } = admin
  const button = page.getByRole('button', { name: `Delete: ${question}` })
  const remove = async (): Promise<void> => {
    await button.press('Enter')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
    await expect(button).toHaveCount(0)
    // The focus stays in the list.
    await expect(page.locator('[data-question] button:focus')).toHaveCount(1)
  }
  await remove()
  const undo = page.getByRole('region', { name: 'Notices' }).getByRole('button', { name: 'Undo' })
  await undo.focus()
  await page.keyboard.press('Enter')
  await expect(page.getByText('Undone: Question deleted')).toBeVisible()
  await expect(button).toBeFocused()
  expect([await faq('en'), await faq('zh')]).toEqual(before)
  expect(await product.callAsAdmin('GET', `/texts/faq:${id}/versions`)).toEqual(versions)

  await remove()
  await page.keyboard.press('Control+z')
  await expect(button).toBeFocused()
  expect(await faq('en')).toEqual(before[0])
  await admin.leave()
})

test('the command menu has what the pages for texts do', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/faq')
  const { page } = admin
  const run = async (command: string): Promise<void> => {
    await page.keyboard.press('Control+k')
    const menu = page.getByRole('dialog', { name: 'Commands' })
    await menu.getByRole('combobox').fill(command)
    await expect(menu.getByRole('option').first()).toHaveText(new RegExp(`^${command}`))
    await page.keyboard.press('Enter')
    await expect(menu).toBeHidden()
  }
  await expect(page.locator('[data-question]').first()).toBeVisible()
  await run('Add question')
  await expect(page.getByLabel('Question')).toBeFocused()
  await expect(page.getByText('Write it in English first.')).toContainText('choose Chinese as its language')
  await run('Heading and groups')
  await expect(page).toHaveURL(/\/dashboard\/pages\/faq$/)
  await page.getByLabel('Lead').fill('Ask whenever you like.')
  await run('Save')
  await expect(page.getByText('Text saved').first()).toBeVisible()
  await run('History')
  await page.getByRole('dialog', { name: 'History' }).getByRole('button', { name: 'Close' }).click()
  await run('Compare with the shipped text')
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await page.getByLabel('Lead').fill('Ask twice.')
  await page.keyboard.press('Control+s')
  await expect(page.getByText('Unsaved changes kept in this browser')).toBeHidden()
  await run('Back to the shipped text')
  await page.getByRole('dialog').getByRole('button', { name: 'Back to the shipped text' }).click()
  await expect(page.getByLabel('Lead')).not.toHaveValue('Ask twice.')
  await admin.leave()
})

test('the pages for texts have no violations and do not scroll sideways', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/pages/contact')
  const { page } = admin
  await page.getByLabel('Lead').fill('Ask us anything.')
  await saveAs(page)
  await expect(page.getByText('Text saved')).toHaveCount(0)
  const check = async (): Promise<void> => {
    expect(await violationsInBothSchemes(page)).toEqual([])
  }
  const frame = page.frameLocator('iframe[title="Preview of the page"]')
  await expect(frame.getByText('Ask us anything.')).toBeAttached()
  await check()
  await page.getByRole('button', { name: 'History' }).click()
  await expect(page.getByRole('insertion').first()).toBeVisible()
  await check()
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()
  await admin.goto('/dashboard/pages')
  await expect(page.getByRole('link', { name: 'Contact' }).first()).toBeVisible()
  await check()
  await admin.goto('/dashboard/faq?question=x')
  await expect(page.getByRole('textbox', { name: 'Answer' })).toBeVisible()
  await check()
  await admin.goto('/dashboard/pages/home')
  await expect(page.getByLabel('Headline', { exact: true })).toBeVisible()
  await check()
  const overflow = () =>
    page.locator('.dashboard-main').evaluate((main) => main.scrollWidth - main.clientWidth)
  for (const path of ['/dashboard/pages', '/dashboard/pages/home', '/dashboard/faq']) {
    await page.setViewportSize({ width: 320, height: 568 })
    await admin.goto(path)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
    expect(await overflow(), path).toBe(0)
    // Text of twice the size.
    await page.setViewportSize({ width: 390, height: 844 })
    await page.evaluate(() => document.documentElement.style.setProperty('font-size', '200%'))
    await expect(page.locator('.dashboard-main :is(.row-list, .text-form)').first()).toBeVisible()
    await expect.poll(overflow, path).toBe(0)
  }
  await admin.leave()
})
