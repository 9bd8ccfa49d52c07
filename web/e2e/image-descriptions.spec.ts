import type { Locator, Page } from '@playwright/test'
import { editor, fillIn, photograph, publish, save } from './editor.ts'
import { Admin } from './people.ts'
import { ADMIN, type Product } from './product.ts'
import { expect, test } from './test.ts'

test.use({ env: { RATE_LIMITS: 'off' } })

const REQUIRED = 'Describe the image, or mark it as decorative'
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true }

const altOf = (within: Page | Locator) => within.getByLabel('Alt text', { exact: true })
const decorative = (within: Page | Locator) => within.getByLabel('Decorative')
const coverOf = (page: Page) => page.getByRole('group', { name: 'Image', exact: true })
const rowOf = (page: Page, name: string) => page.getByRole('group', { name, exact: true })

/** Pastes an image file at the end of the text. */
async function beginPaste(page: Page, background: string): Promise<void> {
  const bytes = (await photograph(background)).toString('base64')
  await editor(page).press('Control+End')
  await editor(page).evaluate((root, base64) => {
    const data = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const clipboardData = new DataTransfer()
    clipboardData.items.add(new File([data], 'pasted.jpg', { type: 'image/jpeg' }))
    root.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  }, bytes)
}

/** The same, and waits until it is there. */
async function pasteImage(page: Page, background: string): Promise<void> {
  const images = editor(page).locator('img')
  const before = await images.count()
  await beginPaste(page, background)
  await expect(images).toHaveCount(before + 1)
}

/** Counts the calls that store a post. */
function countSaves(page: Page): () => number {
  let saves = 0
  page.on('request', (request) => {
    if (/\/api\/blogs(\/\w+)?$/.test(request.url()) && /POST|PATCH/.test(request.method())) saves += 1
  })
  return () => saves
}

/** Stores a post by the REST API as a client does that knows no descriptions. */
async function storeUndescribed(page: Page, product: Product, content: string): Promise<void> {
  const signedIn = await page.request.post(product.url('/api/auth'), {
    data: { userName: ADMIN.userName, password: ADMIN.password },
  })
  const { accessToken } = (await signedIn.json()) as { accessToken: string }
  const answer = await page.request.post(product.url('/api/blogs'), {
    headers: { authorization: `Bearer ${accessToken}` },
    multipart: {
      ...{ title: 'An older post', summary: 'From before.', slug: 'an-older-post', content },
      file: { name: 'desk.jpg', mimeType: 'image/jpeg', buffer: await photograph() },
    },
  })
  expect(answer.status()).toBe(201)
}

test('a new post asks what its image shows, and pages and link previews say it', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  const saves = countSaves(page)
  await fillIn(page, 'Two pens')
  await altOf(coverOf(page)).fill(' ')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(coverOf(page).getByText(REQUIRED)).toBeVisible()
  await expect(altOf(coverOf(page))).toBeFocused()
  expect(saves()).toBe(0)
  await altOf(coverOf(page)).fill('Two pens on a desk')
  await expect(page.getByText(REQUIRED)).toHaveCount(0)
  await publish(page)
  await page.getByText('Preview', { exact: true }).click()
  await expect(page.locator('.post-preview .post-image')).toHaveAttribute('alt', 'Two pens on a desk')

  await page.goto(product.url('/blog/two-pens'))
  await expect(page.locator('.post-image')).toHaveAttribute('alt', 'Two pens on a desk')
  for (const name of ['og:image:alt', 'twitter:image:alt']) {
    const tag = page.locator(`meta[property="${name}"], meta[name="${name}"]`)
    await expect(tag).toHaveAttribute('content', 'Two pens on a desk')
  }
  await page.goto(product.url('/dashboard/my-blogs'))
  await expect(page.locator('.my-post img')).toHaveAttribute('alt', 'Two pens on a desk')
  expect(admin.complaints).toEqual([])
  await admin.leave()
})

test('an image without information is published as decorative, and not asked for again', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog', PHONE)
  const { page } = admin
  await fillIn(page, 'A pattern')
  await decorative(coverOf(page)).check()
  await expect(altOf(coverOf(page))).toBeDisabled()
  await pasteImage(page, '#335')
  await decorative(rowOf(page, 'Image 1 of 1')).check()
  await publish(page)
  await page.goto(product.url('/blog/a-pattern'))
  await expect(page.locator('.post-image')).toHaveAttribute('alt', '')
  await expect(page.locator('.prose img')).toHaveAttribute('alt', '')

  await page.goto(product.url('/dashboard/edit/a-pattern'))
  await expect(decorative(coverOf(page))).toBeChecked()
  await expect(decorative(rowOf(page, 'Image 1 of 1'))).toBeChecked()
  await page.getByLabel('Title').fill('A plain pattern')
  await save(page)
  await admin.leave()
})

test('a pasted image stays in the text, and is asked for before the post is published', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  const saves = countSaves(page)
  await fillIn(page, 'Pasted')
  await pasteImage(page, '#335')
  await expect(page.getByRole('status').getByText('1 image needs alt text.')).toBeVisible()
  await pasteImage(page, '#533')
  await expect(page.getByRole('status').getByText('2 images need alt text.')).toBeVisible()
  await altOf(rowOf(page, 'Image 1 of 2')).fill('A blue square')
  // Typed letter by letter: the editor must not take the focus.
  await altOf(rowOf(page, 'Image 1 of 2')).pressSequentially(' on white')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const second = rowOf(page, 'Image 2 of 2')
  await expect(second.getByText(REQUIRED)).toBeVisible()
  await expect(altOf(second)).toBeFocused()
  await expect(page.getByText(REQUIRED)).toHaveCount(1)
  expect(saves()).toBe(0)
  await page.keyboard.type('A red square')
  await publish(page)
  await page.goto(product.url('/blog/pasted'))
  const shown = page.locator('.prose img')
  await expect(shown.nth(0)).toHaveAttribute('alt', 'A blue square on white')
  await expect(shown.nth(1)).toHaveAttribute('alt', 'A red square')
  expect(admin.complaints).toEqual([])
  await admin.leave()
})

test('a post waits for an image that is being uploaded', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  const saves = countSaves(page)
  await fillIn(page, 'Slowly')
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  await page.route('**/api/uploads', async (route) => {
    await isReleased
    await route.continue()
  })
  await beginPaste(page, '#335')
  await expect(page.getByRole('status').getByText(/Uploading|Preparing/)).toBeVisible()
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await expect(page.locator('form').getByText('Wait until the image is uploaded')).toBeVisible()
  expect(saves()).toBe(0)
  release()
  await expect(editor(page).locator('img')).toHaveCount(1)
  await expect(page.getByText('Wait until the image is uploaded')).toHaveCount(0)
  await altOf(rowOf(page, 'Image 1 of 1')).fill('A blue square')
  await publish(page)
  await page.goto(product.url('/blog/slowly'))
  await expect(page.locator('.prose img')).toHaveAttribute('alt', 'A blue square')
  await admin.leave()
})

test('the image dialog asks for the description, and the text can be changed later', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await fillIn(page, 'Inserted')
  await page.getByRole('button', { name: 'Image', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Image' })
  const file = { name: 'a.jpg', mimeType: 'image/jpeg', buffer: await photograph('#353') }
  await dialog.getByLabel('File').setInputFiles(file)
  await dialog.getByRole('button', { name: 'Insert' }).click()
  await expect(dialog.getByText(REQUIRED)).toBeVisible()
  await expect(altOf(dialog)).toBeFocused()
  await altOf(dialog).fill('A green square')
  await dialog.getByRole('button', { name: 'Insert' }).click()
  await expect(editor(page).locator('img')).toHaveAttribute('alt', 'A green square')
  await publish(page)
  await page.goto(product.url('/dashboard/edit/inserted'))
  await altOf(rowOf(page, 'Image 1 of 1')).fill('A square of green felt')
  await save(page)
  await page.goto(product.url('/blog/inserted'))
  await expect(page.locator('.prose img')).toHaveAttribute('alt', 'A square of green felt')
  await admin.leave()
})

test('an older post is asked for its descriptions at its next change', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product)
  const { page } = admin
  const images = '<p><img src="/images/posts/desk.svg" alt="A desk"><img src="/images/posts/door.svg"></p>'
  await storeUndescribed(page, product, images)
  await page.goto(product.url('/blog/an-older-post'))
  for (const image of await page.locator('main img').all())
    await expect(image).toHaveAttribute('alt', /^(A desk)?$/)

  await page.goto(product.url('/dashboard/edit/an-older-post'))
  await expect(altOf(rowOf(page, 'Image 1 of 2'))).toHaveValue('A desk')
  await page.getByLabel('Title').fill('An older post, mended')
  await page.getByRole('button', { name: 'Submit' }).click()
  // The text stands before the post's own image.
  await expect(altOf(rowOf(page, 'Image 2 of 2'))).toBeFocused()
  await page.keyboard.type('A door')
  await expect(coverOf(page).getByText(REQUIRED)).toBeVisible()
  await altOf(coverOf(page)).fill('A green square')
  await save(page)
  await page.goto(product.url('/blog/an-older-post'))
  await expect(page.locator('.prose img').nth(1)).toHaveAttribute('alt', 'A door')
  await admin.leave()
})

test('another image does not keep the description of the one before', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await fillIn(page, 'Replaced')
  await altOf(coverOf(page)).fill('A green square')
  await publish(page)
  await page.goto(product.url('/dashboard/edit/replaced'))
  await expect(altOf(coverOf(page))).toHaveValue('A green square')
  const other = { name: 'other.jpg', mimeType: 'image/jpeg', buffer: await photograph('#844') }
  await page.getByLabel('Upload Image').setInputFiles(other)
  await expect(altOf(coverOf(page))).toHaveValue('')
  await page.getByLabel('Upload Image').setInputFiles([])
  await expect(altOf(coverOf(page))).toHaveValue('A green square')
  await page.getByLabel('Upload Image').setInputFiles(other)
  await altOf(coverOf(page)).fill('A red square')
  await save(page)
  await page.goto(product.url('/blog/replaced'))
  await expect(page.locator('.post-image')).toHaveAttribute('alt', 'A red square')
  await admin.leave()
})
