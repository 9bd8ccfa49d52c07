import { readFile } from 'node:fs/promises'
import type { Browser } from '@playwright/test'
import { violations } from './axe.ts'
import type { Product } from './product.ts'
import { expect, freshTest, test } from './test.ts'

const FILE = { name: 'he.json', mimeType: 'application/json' }

/** Opens the chat in a browser that speaks this language. */
async function openChat(browser: Browser, product: Product, locale: string) {
  const context = await browser.newContext({ locale })
  const page = await context.newPage()
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (pathname.startsWith('/words/')) asked.push(pathname)
  })
  await page.goto(product.url('/contact'))
  await page.locator('.chat-launcher').click()
  const panel = page.getByRole('dialog')
  await expect(panel).toBeVisible()
  return { context, page, panel, asked }
}

freshTest(
  'an admin switches a language on and changes a sentence of it',
  async ({ admin, browser, product }) => {
    await admin.goto('/dashboard/settings')
    const { page } = admin
    const table = page.getByRole('table', { name: 'Languages' })
    const row = table.getByRole('row', { name: /Hebrew/ })
    await expect(row).toContainText('Right to left')
    expect(await violations(page)).toEqual([])

    const download = page.waitForEvent('download')
    await row.getByRole('button', { name: 'Download as JSON' }).press('Enter')
    const saved = await download
    expect(saved.suggestedFilename()).toBe('he.json')
    const words = JSON.parse(await readFile(await saved.path(), 'utf8'))

    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).press('Enter')
    const wrong = { ...words, 'view.typing': 'x', 'view.send': '' }
    await (await chooser).setFiles({ ...FILE, buffer: Buffer.from(JSON.stringify(wrong)) })
    const problems = page.locator('#languages').getByRole('alert')
    await expect(problems).toContainText('view.typing must have exactly these placeholders: {name}.')
    await expect(problems).toContainText('view.send must not be empty.')

    const again = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Upload' }).press('Enter')
    const own = { ...words, 'panel.footer': 'שורה משלנו {brand}' }
    await (await again).setFiles({ ...FILE, buffer: Buffer.from(JSON.stringify(own)) })
    await expect(row).toContainText('Uploaded and shipped')
    await expect(problems).toHaveText('')

    await row.getByRole('switch', { name: 'Show Hebrew' }).press('Space')
    await page.getByText('In other languages (1)').first().click()
    await expect(page.getByLabel('Away message in Hebrew')).toBeVisible()
    await page.getByLabel('Away message in Hebrew').fill('x'.repeat(2_000))
    await page.getByText('In other languages (1)').first().click()
    await page.getByRole('button', { name: 'Save settings' }).click()
    await expect(page.getByLabel('Away message in Hebrew')).toBeFocused()
    await page.getByLabel('Away message in Hebrew').fill('')
    await page.getByRole('button', { name: 'Save settings' }).click()
    await expect(page.getByText('Settings saved')).toBeVisible()

    const visitor = await openChat(browser, product, 'he-IL')
    await expect(visitor.panel).toHaveAttribute('dir', 'rtl')
    await expect(visitor.panel).toHaveAttribute('lang', 'he')
    await expect(visitor.panel).toContainText('שורה משלנו ProctorPass')
    await expect(visitor.panel.getByRole('textbox')).toHaveCSS('direction', 'rtl')
    await expect(visitor.panel.locator('.chat-send > .icon')).toHaveCSS('scale', '-1 1')
    expect(visitor.asked).toEqual(['/words/he.json'])
    expect(await violations(visitor.page)).toEqual([])
    await visitor.context.close()

    await row.getByRole('button', { name: 'Delete the uploaded Hebrew' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await expect(row).not.toContainText('Uploaded')
  },
)

test('a visitor with an English browser downloads no words', async ({ browser, product }) => {
  const { context, panel, asked } = await openChat(browser, product, 'en-GB')
  await expect(panel.getByRole('button', { name: 'Close chat' })).toBeVisible()
  expect(asked).toEqual([])
  await context.close()
})
