import { expect, type Page } from '@playwright/test'
import { violationsInBothSchemes } from './axe.ts'
import { editor, fillIn } from './editor.ts'
import { Admin } from './people.ts'
import { test } from './test.ts'

test.use({ env: { RATE_LIMITS: 'off' } })

/** Puts a picture of one color on the clipboard, and pastes it where the focus is. */
async function pastePicture(page: Page, color: string): Promise<void> {
  await page.evaluate(async (fill) => {
    const canvas = document.createElement('canvas')
    Object.assign(canvas, { width: 320, height: 200 })
    const pen = canvas.getContext('2d') as CanvasRenderingContext2D
    pen.fillStyle = fill
    pen.fillRect(0, 0, 320, 200)
    const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'))
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob as Blob })])
  }, color)
  await page.keyboard.press('ControlOrMeta+V')
}

test('a draft is saved with a title alone, scheduled, and published', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await expect(editor(page)).toBeVisible()
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page.getByText('Title is required')).toBeVisible()
  await page.getByLabel('Title').fill('Slow start')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page).toHaveURL(/\/dashboard\/edit\/slow-start$/)
  const standing = page.getByRole('region', { name: 'Status' })
  await expect(standing.getByRole('status')).toHaveText('Draft')
  expect((await page.request.get(product.url('/blog/slow-start'))).status()).toBe(404)

  await page.getByRole('button', { name: 'Schedule' }).click()
  await expect(page.getByText('Summary is required')).toBeVisible()
  await expect(page.getByRole('dialog')).toBeHidden()
  await fillIn(page, 'Slow start')
  await page.getByRole('button', { name: 'Schedule' }).click()
  const dialog = page.getByRole('dialog', { name: 'Schedule this post' })
  await dialog.getByLabel('Publish at').fill('2020-01-01T09:00')
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await expect(dialog.getByText('Choose a time in the future')).toBeVisible()
  const later = new Date(Date.now() + 86_400_000)
  await dialog.getByLabel('Publish at').fill(`${later.toISOString().slice(0, 10)}T09:00`)
  await dialog.getByRole('button', { name: 'Schedule' }).click()
  await expect(standing.getByRole('status')).toHaveText(/^Scheduled .* 9:00 AM$/)

  await page.getByRole('button', { name: 'Publish' }).click()
  await expect(standing.getByRole('status')).toHaveText(/^Published /)
  expect((await page.request.get(product.url('/blog/slow-start'))).status()).toBe(200)
  await standing.getByRole('button', { name: 'Back to draft' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Back to draft' }).click()
  await expect(standing.getByRole('status')).toHaveText('Draft')
  expect((await page.request.get(product.url('/blog/slow-start'))).status()).toBe(404)
  await admin.leave()
})

test('the list of blogs shows states, and narrows to one', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await page.getByLabel('Title').fill('Only begun')
  await page.getByRole('button', { name: 'Save draft' }).click()
  await expect(page).toHaveURL(/\/dashboard\/edit\/only-begun$/)
  await page.goto(product.url('/dashboard/my-blogs'))
  const begun = page.getByRole('article').filter({ hasText: 'Only begun' })
  await expect(begun.getByText('Draft', { exact: true })).toBeVisible()
  await expect(begun.getByRole('link', { name: /^View/ })).toBeHidden()
  const filter = page.getByRole('group', { name: 'Show' })
  await filter.getByRole('button', { name: 'Published' }).click()
  await expect(begun).toBeHidden()
  await filter.getByRole('button', { name: 'Drafts' }).click()
  await expect(begun).toBeVisible()
  await page.reload()
  await expect(filter.getByRole('button', { name: 'Drafts' })).toHaveAttribute('aria-pressed', 'true')
  await begun.getByRole('link', { name: /^Edit/ }).click()
  await expect(page.getByLabel('Title')).toHaveValue('Only begun')
  await admin.leave()
})

test('four pasted pictures become the cover and three pictures in the text', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await expect(editor(page)).toBeVisible()
  await page.getByLabel('Summary').fill('Four pictures.')
  await page.getByLabel('Title').fill('Pasted')
  await page.getByLabel('Title').focus()
  await pastePicture(page, '#228844')
  await expect(page.getByRole('img', { name: /^Preview of/ })).toBeVisible()
  const alts = page.getByLabel('Alt text', { exact: true })
  const cover = page
    .getByRole('group', { name: 'Image', exact: true })
    .getByLabel('Alt text', { exact: true })
  await expect(cover).toBeFocused()
  await page.keyboard.type('The cover')
  for (const [index, color] of ['#884422', '#224488', '#448822'].entries()) {
    await pastePicture(page, color)
    await expect(
      page
        .getByRole('group', { name: `Image ${index + 1} of ${index + 1}` })
        .getByLabel('Alt text', { exact: true }),
    ).toBeFocused()
    await page.keyboard.type(`Picture ${index + 1}`)
  }
  await expect(alts).toHaveCount(4)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.getByRole('link', { name: 'View post' })).toBeVisible()
  await page.goto(product.url('/blog/pasted'))
  for (const name of ['The cover', 'Picture 1', 'Picture 2', 'Picture 3']) {
    await expect(page.getByRole('img', { name })).toBeVisible()
  }
  await admin.leave()
})

test('a picture pasted into the cover replaces it, and text is pasted as text', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await expect(editor(page)).toBeVisible()
  const zone = page.getByLabel('Upload Image')
  await zone.setInputFiles({
    name: 'first.svg',
    mimeType: 'image/svg+xml',
    buffer: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'),
  })
  await expect(page.getByRole('img', { name: 'Preview of first.svg' })).toBeVisible()
  await zone.focus()
  await pastePicture(page, '#228844')
  await expect(page.getByRole('img', { name: 'Preview of image.png' })).toBeVisible()
  await page.evaluate(() => navigator.clipboard.writeText('A pasted title'))
  await page.getByLabel('Title').focus()
  await page.keyboard.press('ControlOrMeta+V')
  await expect(page.getByLabel('Title')).toHaveValue('A pasted title')
  await admin.leave()
})

test('a preview link is made, copied, and revoked', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByLabel('Title').fill('For a friend')
  await page.getByRole('button', { name: 'Save draft' }).click()
  const standing = page.getByRole('region', { name: 'Status' })
  await standing.getByRole('button', { name: 'Make preview link' }).click()
  await standing.getByRole('button', { name: 'Copy Preview link' }).click()
  await expect(standing.getByText('Copied')).toBeVisible()
  const url = await page.evaluate(() => navigator.clipboard.readText())
  expect(url).toMatch(/\/blog\/preview\/[0-9a-f]{64}$/)
  const reader = await (await browser.newContext()).newPage()
  const sent: string[] = []
  reader.on('request', (request) => sent.push(`${request.url()} ${request.headers().referer ?? ''}`))
  const opened = await reader.goto(url)
  expect(opened?.headers()).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
  await expect(reader.getByRole('heading', { name: 'For a friend' })).toBeVisible()
  await expect(reader.getByRole('note')).toHaveText(/This is a preview of a draft/)
  await expect(reader.locator('meta[name=robots]')).toHaveAttribute('content', 'noindex')
  expect(await violationsInBothSchemes(reader)).toEqual([])
  await reader.getByRole('link', { name: 'Blog', exact: true }).first().click()
  await expect(reader).toHaveURL(product.url('/blogs'))
  await reader.goBack()
  await expect(reader.getByRole('heading', { name: 'For a friend' })).toBeVisible()
  expect(sent.filter((line) => line.split(' ')[1]?.includes('/preview/'))).toEqual([])
  for (const path of ['/sitemap.xml', '/feed.xml', '/blogs']) {
    expect(await (await reader.request.get(product.url(path))).text()).not.toContain('for-a-friend')
  }

  await page.reload()
  await expect(standing.getByText(/Anyone with the preview link can read the saved post until/)).toBeVisible()
  await standing.getByRole('button', { name: 'Revoke link' }).click()
  await expect(
    standing.getByText('With a preview link, anyone can read the saved post for 7 days.'),
  ).toBeVisible()
  expect((await reader.goto(url))?.status()).toBe(404)
  await expect(reader.getByRole('heading', { name: 'Page not found' })).toBeVisible()
  await reader.context().close()
  await admin.leave()
})
