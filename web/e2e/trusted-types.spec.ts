import type { Page } from '@playwright/test'
import { editor, photograph, save } from './editor.ts'
import { Admin, Visitor } from './people.ts'
import type { Product } from './product.ts'
import { open, PAGES } from './site.ts'
import { expect, freshTest as test } from './test.ts'

test.use({ env: { RATE_LIMITS: 'off', SEED_DEMO: 'true', PUBLIC_REVIEWS: 'moderated' } })

/** Collects Content-Security-Policy violations of every document that the page loads. */
async function watchViolations(page: Page): Promise<string[]> {
  const violations: string[] = []
  await page.exposeFunction('reportViolation', (text: string) => violations.push(text))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      const { effectiveDirective, blockedURI, sample } = event
      const report = (window as unknown as { reportViolation: (text: string) => void }).reportViolation
      report(`${location.pathname}: ${effectiveDirective} ${blockedURI} ${sample}`)
    })
  })
  return violations
}

/** Which sinks the page's policy allows. */
const sinks = (page: Page) =>
  page.evaluate(() => {
    const outcome = (run: () => unknown) => {
      try {
        run()
        return 'allowed'
      } catch (error) {
        return (error as Error).name
      }
    }
    const { trustedTypes } = window as unknown as { trustedTypes: { createPolicy(name: string): unknown } }
    return {
      html: outcome(() => {
        document.createElement('div').innerHTML = '<img src="x">'
      }),
      parser: outcome(() => new DOMParser().parseFromString('<p>x</p>', 'text/html')),
      script: outcome(() => {
        document.createElement('script').text = '1'
      }),
      policy: outcome(() => trustedTypes.createPolicy('another')),
    }
  })

const REFUSED = { html: 'TypeError', parser: 'TypeError', script: 'TypeError', policy: 'TypeError' }

async function paste(page: Page, html: string, image?: Buffer): Promise<void> {
  await editor(page).evaluate(
    (root, { html, base64 }) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/html', html)
      if (base64 !== undefined) {
        const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
        clipboardData.items.add(new File([bytes], 'copied.jpg', { type: 'image/jpeg' }))
      }
      root.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    },
    { html, base64: image?.toString('base64') },
  )
}

/** A list as Word writes it: paragraphs whose styles contain list and level. */
const WORD_LIST = `<html xmlns:w="urn:schemas-microsoft-com:office:word"><head><style><!--
@list l0:level1 { mso-level-number-format:bullet; }
@list l1:level1 { mso-level-number-format:decimal; }
--></style></head><body>
<p class=MsoListParagraph style='text-indent:-.25in;mso-list:l0 level1 lfo1'><span style='mso-list:Ignore'>·</span>Passport</p>
<p class=MsoListParagraph style='mso-list:l0 level2 lfo1'><span style='mso-list:Ignore'>o</span><b>Photo</b> page</p>
<p class=MsoNormal>Then:</p>
<p class=MsoListParagraph style='mso-list:l1 level1 lfo2'><span style='mso-list:Ignore'>1.</span>Sit down</p>
</body></html>`

test('no public page violates its policy, served or reached by a link', async ({ browser, product }) => {
  const context = await browser.newContext()
  const page = await context.newPage()
  const violations = await watchViolations(page)
  for (const path of [...PAGES, '/login', '/invite', '/no-such-page']) {
    await page.goto(product.url(path))
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible()
  }
  await open(page, product.url('/'))
  const navigation = page.getByRole('navigation').first()
  for (const [name, heading] of [
    ['FAQ', 'Questions and answers'],
    ['Reviews', 'Reviews'],
    ['Contact', 'Contact'],
    ['Blog', 'Blog'],
  ] as const) {
    await navigation.getByRole('link', { name, exact: true }).click()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading)
  }
  // Posts and articles, whose text is inserted by script.
  const links = page.locator('main a[href^="/blog/"]')
  await expect(links).not.toHaveCount(0)
  const paths = new Set(await links.evaluateAll((all) => all.map((link) => link.getAttribute('href') ?? '')))
  for (const path of [...paths].slice(0, 3)) {
    await page.locator(`main a[href="${path}"]`).first().click()
    await expect(page.locator('.prose').first()).not.toBeEmpty()
    await page.goBack()
  }
  expect(violations).toEqual([])
  expect(await sinks(page)).toEqual(REFUSED)
  await context.close()
})

test('the chat violates no policy on either side', async ({ browser, product }) => {
  const visitor = await Visitor.arrive(browser, product)
  const visitorViolations = await watchViolations(visitor.page)
  await visitor.goto('/faq')
  await visitor.openChat()
  await visitor.send('<b>Hello</b> https://example.com')
  const admin = await Admin.signIn(browser, product)
  const adminViolations = await watchViolations(admin.page)
  await admin.goto(`/dashboard/messages/${await visitor.clientId()}`)
  await admin.type('Good morning')
  await expect(visitor.message('Good morning')).toBeVisible()
  expect([...visitorViolations, ...adminViolations]).toEqual([])
  expect(await sinks(admin.page)).toEqual(REFUSED)
  await visitor.leave()
  await admin.leave()
})

test('no page of the dashboard violates its policy, nor does any content of the editor', async ({
  browser,
  product,
}) => {
  const admin = await Admin.signIn(browser, product)
  const { page } = admin
  const violations = await watchViolations(page)
  await page.route('https://www.youtube-nocookie.com/**', (route) =>
    route.fulfill({ contentType: 'text/html', body: '' }),
  )
  for (const path of ['my-blogs', 'add-review', 'my-reviews', 'contacts', 'account', 'chats']) {
    await admin.goto(`/dashboard/${path}`)
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }

  await admin.goto('/dashboard/add-blog')
  await page.getByText('Preview', { exact: true }).click()
  await paste(page, '<p style="color:red">A <b>bold</b> word</p>')
  await expect(editor(page).locator('strong')).toHaveText('bold')
  await insertAll(page)
  await expect(page.locator('.post-preview .prose')).toContainText('bold')
  await expect(page.locator('.post-preview iframe')).toHaveCount(1)

  await editPost(admin, product)
  expect(violations).toEqual([])
  expect(await sinks(page)).toEqual(REFUSED)
  await admin.leave()
})

async function insertAll(page: Page): Promise<void> {
  const insert = async (what: string) => {
    await page.getByRole('button', { name: what, exact: true }).click()
    const dialog = page.getByRole('dialog', { name: what })
    if (what === 'Link') await dialog.getByLabel('Address').fill('/faq')
    if (what === 'Video') await dialog.getByLabel('Address').fill('https://youtu.be/dQw4w9WgXcQ')
    if (what === 'Image') {
      const file = { name: 'a.jpg', mimeType: 'image/jpeg', buffer: await photograph() }
      await dialog.getByLabel('File').setInputFiles(file)
      await dialog.getByLabel('Alt text', { exact: true }).fill('A desk')
    }
    await dialog.getByRole('button', { name: 'Insert' }).click()
    await expect(dialog).toHaveCount(0)
  }
  await editor(page).press('Control+End')
  await insert('Link')
  await insert('Video')
  await insert('Image')
  await expect(editor(page).locator('img')).toHaveCount(1)
}

/** Opens a stored post in the editor and saves it, so that its text passes through the editor. */
async function editPost(admin: Admin, product: Product): Promise<void> {
  const { page } = admin
  page.on('dialog', (dialog) => void dialog.accept())
  await page.goto(product.url('/dashboard/my-blogs'))
  await page
    .getByRole('link', { name: /^Edit / })
    .first()
    .click()
  await expect(editor(page)).not.toBeEmpty()
  await editor(page).press('Control+End')
  await page.keyboard.type(' More.')
  await save(page)
}

test('lists of Word and images of pages can be pasted', async ({ browser, product }) => {
  const admin = await Admin.signIn(browser, product)
  const { page } = admin
  const violations = await watchViolations(page)
  await admin.goto('/dashboard/add-blog')
  await editor(page).click()
  await paste(page, WORD_LIST)
  const items = editor(page).locator('li')
  await expect(items).toHaveText(['Passport', 'Photo page', 'Sit down'])
  await expect(items.nth(0)).toHaveAttribute('data-list', 'bullet')
  await expect(items.nth(1)).toHaveClass('ql-indent-1')
  await expect(items.nth(1).locator('strong')).toHaveText('Photo')
  await expect(items.nth(2)).toHaveAttribute('data-list', 'ordered')
  await expect(editor(page).locator('p').first()).toHaveText('Then:')

  // "Copy image" puts markup and bytes into the clipboard: the bytes are uploaded.
  await editor(page).press('Control+End')
  await paste(page, '<img src="https://example.com/a.jpg">', await photograph())
  await expect(editor(page).locator('img')).toHaveAttribute('src', /^\/uploads\//)
  // With text around it, only the text is pasted.
  await paste(page, '<p>Words</p><img src="https://example.com/a.jpg">', await photograph())
  await expect(editor(page)).toContainText('Words')
  await expect(editor(page).locator('img')).toHaveCount(1)
  expect(violations).toEqual([])
  await admin.leave()
})
