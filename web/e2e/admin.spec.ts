import { violationsInBothSchemes } from './axe.ts'
import { editor, fillIn, photograph, publish, save } from './editor.ts'
import { emptyRoom } from './empty-room.ts'
import { Admin } from './people.ts'
import { expect, test } from './test.ts'

test.use({ env: { RATE_LIMITS: 'off' } })

const VIEWPORTS = [
  { width: 1280, height: 900 },
  { width: 390, height: 844 },
]

for (const viewport of VIEWPORTS) {
  test(`a post is created, viewed, edited and deleted at ${viewport.width} px`, async ({
    browser,
    product,
  }) => {
    const admin = await Admin.signIn(browser, product, '/dashboard', { viewport })
    const { page } = admin
    await fillIn(page, 'The evening before')
    await expect(page.getByLabel('Slug')).toHaveValue('the-evening-before')
    await editor(page).press('Control+A')
    await page.getByRole('button', { name: 'Bold' }).click()
    await publish(page)
    await expect(page.getByLabel('Title')).toHaveValue('The evening before')

    await page.goto(product.url('/blog/the-evening-before'))
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('The evening before')
    await expect(page.locator('.prose strong')).toHaveText('Pack your passport.')
    await expect
      .poll(() => page.locator('.post-image').evaluate((image: HTMLImageElement) => image.naturalWidth))
      .toBeGreaterThan(0)

    await page.goto(product.url('/dashboard/my-blogs'))
    await page.getByRole('link', { name: 'Edit The evening before' }).click()
    await expect(editor(page)).toHaveText('Pack your passport.')
    await page.getByLabel('Title').fill('The night before')
    await save(page)
    await page.goto(product.url('/blog/the-evening-before'))
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('The night before')

    await page.goto(product.url('/dashboard/my-blogs'))
    await page.getByRole('button', { name: 'Delete The night before' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Post!' })
    await expect(dialog).toContainText('Are you sure you want to delete this post?')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByRole('link', { name: 'Edit The night before' })).toHaveCount(0)
    expect((await page.request.get(product.url('/blog/the-evening-before'))).status()).toBe(404)
    await admin.leave()
  })
}

test('a pasted image is uploaded, and other pasted markup of Word or a page is removed', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await editor(page).click()
  const data = `data:image/jpeg;base64,${(await photograph()).toString('base64')}`
  await page.evaluate((source) => {
    const clipboard = new DataTransfer()
    clipboard.setData(
      'text/html',
      `<p class="MsoNormal" style="mso-margin:1;color:#f00" onclick="alert(1)"><span style="font-weight:700">Bold</span> words
      <script>alert(2)</script><img src="https://evil.example/x.png"><img src="${source}"></p>`,
    )
    document
      .querySelector('.ql-editor')
      ?.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData: clipboard, bubbles: true, cancelable: true }),
      )
  }, data)
  await expect(editor(page).locator('strong')).toHaveText('Bold')
  await expect(editor(page).locator('img')).toHaveAttribute('src', /^\/uploads\/[^/]+$/)
  await expect(editor(page)).not.toContainText('alert')
  await expect(editor(page).locator('[style], [onclick], .MsoNormal')).toHaveCount(0)
  expect(admin.complaints).toEqual([])
  await admin.leave()
})

test('a draft survives a reload, and leaving the form asks first', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product, '/dashboard/add-blog')
  const { page } = admin
  await page.getByLabel('Title').fill('Half a thought')
  await editor(page).fill('It goes on here.')
  page.on('dialog', (dialog) => void dialog.accept())
  await page.reload()
  await expect(page.getByLabel('Title')).toHaveValue('Half a thought')
  await expect(editor(page)).toHaveText('It goes on here.')
  await page.getByRole('link', { name: 'Contacts' }).click()
  const question = page.getByRole('dialog', { name: 'Leave without saving?' })
  await question.getByRole('button', { name: 'Stay' }).click()
  await expect(page).toHaveURL(product.url('/dashboard/add-blog'))
  await expect(page.getByLabel('Title')).toHaveValue('Half a thought')
  await admin.leave()
})

test.describe('on a site with samples', () => {
  test.use({ env: { RATE_LIMITS: 'off', SEED_DEMO: 'true', PUBLIC_REVIEWS: 'moderated' } })

  const PAGES = ['add-blog', 'my-blogs', 'add-review', 'my-reviews', 'contacts', 'account', 'chats']

  test('axe finds nothing on any page of the dashboard, in both schemes', async ({ browser, product }) => {
    const viewport = { width: 360, height: 780 }
    const admin = await Admin.signIn(browser, product, '/dashboard/chats', { viewport })
    const { page } = admin
    for (const path of [...PAGES, 'edit/a-quiet-room-in-a-loud-house']) {
      await page.goto(product.url(`/dashboard/${path}`))
      await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
      await expect(page.getByText('Loading', { exact: true })).toHaveCount(0)
      expect(await violationsInBothSchemes(page), path).toEqual([])
      expect(await page.evaluate(emptyRoom), `what ${path} scrolls to beyond its content`).toEqual([])
    }
    await admin.leave()
  })

  test('a review waits for an admin, is approved, edited and deleted', async ({ browser, product }) => {
    const admin = await Admin.signIn(browser, product, '/dashboard/my-reviews')
    const { page } = admin
    const visitor = await page.context().newPage()
    await visitor.goto(product.url('/reviews'))
    await visitor.getByLabel('Name').fill('Noor')
    await visitor.getByLabel('Stars').fill('4.7')
    await visitor.getByRole('textbox', { name: 'Review' }).fill('Calm and clear.')
    await visitor.getByRole('button', { name: 'Send review' }).click()
    await expect(visitor.locator('.form-result')).not.toBeEmpty()
    await visitor.reload()
    await expect(visitor.getByText('Calm and clear.')).toHaveCount(0)

    await page.reload()
    const menu = page.getByRole('navigation', { name: 'Dashboard' })
    await expect(menu.getByRole('link', { name: 'My reviews (1 waiting for approval)' })).toBeVisible()
    await expect(page.getByRole('heading', { name: 'Waiting for approval (1)' })).toBeVisible()
    await page.getByRole('button', { name: 'Approve the review of Noor' }).click()
    await expect(page.getByText('No reviews to approve')).toBeVisible()
    await expect(menu.getByRole('link', { name: 'My reviews', exact: true })).toBeVisible()
    await page.getByRole('button', { name: 'Edit the review of Noor' }).click()
    const modal = page.getByRole('dialog', { name: 'Edit Review' })
    await modal.getByLabel('Star').fill('2.3')
    await modal.getByRole('textbox', { name: 'Review' }).fill('Calm, clear and on time.')
    await modal.getByRole('button', { name: 'Edit' }).click()
    await expect(modal).toHaveCount(0)
    await visitor.goto(product.url('/reviews'))
    await expect(visitor.getByText('Calm, clear and on time.')).toBeVisible()

    await page.getByRole('button', { name: 'Delete the review of Noor' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Review!' })
    await expect(dialog).toContainText('Are you sure you want to delete this review?')
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await expect(page.getByRole('row').filter({ hasText: 'Noor' })).toHaveCount(0)
    await admin.leave()
  })
})
