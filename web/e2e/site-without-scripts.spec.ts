import type { Page } from '@playwright/test'
import { ARTICLE, expect, NAVIGATION, PAGES, POST, test } from './site.ts'

test.use({ javaScriptEnabled: false })

/** Expected heading and texts of each page. */
const CONTENT: Record<string, { h1: string | RegExp; text: (string | RegExp)[] }> = {
  '/': {
    h1: 'Go into your proctored exam prepared.',
    text: ['From the blog', 'What people say', 'Ask us a question', 'Do you also take the exam for me?'],
  },
  '/blogs': { h1: 'Blog', text: ['Five lines to write down after your exam', /Page 1 of 2/] },
  [POST]: { h1: 'A quiet room in a loud house', text: ['Related content'] },
  [ARTICLE]: { h1: /^Can ProctorU detect phones\?/, text: ['In this article', 'Related content'] },
  '/reviews': { h1: 'Reviews', text: ['Maya R.', 'Add a review', /Page 1 of \d/] },
  '/contact': { h1: 'Contact', text: ['support@proctorpass.example'] },
  '/faq': { h1: 'Questions and answers', text: ['How far ahead do I need to order?'] },
  '/unauthorized': { h1: 'Unauthorized', text: ['You do not have access to the requested page.'] },
  '/no-such-page': { h1: 'Page not found', text: ['The address may be mistyped'] },
}

test('every page is complete', async ({ page }) => {
  for (const [path, { h1, text }] of Object.entries(CONTENT)) {
    await test.step(path, async () => {
      await page.goto(path)
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(h1)
      for (const each of text) await expect(page.locator('main').getByText(each).first()).toBeVisible()
      const navigation = page.getByRole('banner').getByRole('navigation')
      await expect(navigation.getByRole('link')).toHaveText(NAVIGATION)
      const footer = page.getByRole('contentinfo')
      await expect(footer).toContainText(`© ${new Date().getFullYear()} ProctorPass`)
      await expect(footer.getByRole('link', { name: 'support@proctorpass.example' })).toHaveAttribute(
        'href',
        'mailto:support@proctorpass.example',
      )
      // Without scripts the chat's buttons are replaced by links to the contact form.
      await expect(page.getByRole('button', { name: 'Live Chat' })).toHaveCount(0)
      await expect(footer.getByRole('link', { name: 'Contact us' })).toHaveAttribute('href', '/contact')
    })
  }
})

test('no button for the chat shows, and the contact form has one link in its place', async ({ page }) => {
  await page.goto('/')
  await expect(page.getByRole('button', { name: 'Live Chat' })).toHaveCount(0)
  const opening = page.locator('.opening-ways')
  await expect(opening.getByRole('link', { name: 'Contact us' })).toHaveCount(1)
})

test('the navigation links to every page', async ({ page }) => {
  await page.goto('/no-such-page')
  for (const [label, path] of [
    ['Blog', '/blogs'],
    ['Contact', '/contact'],
    ['Reviews', '/reviews'],
    ['FAQ', '/faq'],
    ['Home', '/'],
  ] as const) {
    await page.getByRole('banner').getByRole('link', { name: label, exact: true }).click()
    await expect(page).toHaveURL(path)
    await expect(page.getByRole('banner').locator('[aria-current=page]')).toHaveText(label)
  }
})

test('a post marks the blog in the navigation, and the admin area asks for JavaScript', async ({ page }) => {
  await page.goto(POST)
  await expect(page.getByRole('banner').locator('[aria-current=true]')).toHaveText('Blog')
  await page.goto('/login')
  await expect(page.getByRole('heading', { name: 'This page needs JavaScript' })).toBeVisible()
  await expect(page.locator('main').getByRole('link', { name: 'contact form' })).toHaveAttribute(
    'href',
    '/contact',
  )
})

test('the menu of a small screen opens, navigates and closes', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto('/faq')
  const menu = page.getByRole('navigation', { name: 'Main' })
  await expect(menu).toBeHidden()
  await page.getByRole('button', { name: 'Menu' }).click()
  await expect(menu.getByRole('link')).toHaveText(NAVIGATION)
  await page.getByRole('button', { name: 'Menu' }).click()
  await expect(menu).toBeHidden()
  await page.getByRole('button', { name: 'Menu' }).click()
  await menu.getByRole('link', { name: 'Blog' }).click()
  await expect(page).toHaveURL('/blogs')
  await expect(menu).toBeHidden()
})

test('answers open and close on a click', async ({ page }) => {
  await page.goto('/faq')
  const items = page.locator('details')
  expect(await items.count()).toBeGreaterThan(9)
  const first = items.first()
  await expect(first.locator('p').first()).toBeHidden()
  await first.locator('summary').click()
  await expect(first.locator('p').first()).toBeVisible()
  await first.locator('summary').click()
  await expect(first.locator('p').first()).toBeHidden()
})

test('the table of contents is open at first, and closes on a click', async ({ page }) => {
  await page.goto(ARTICLE)
  const parts = page.getByRole('navigation', { name: 'In this article' })
  const toggle = parts.locator('summary')
  await expect(parts.getByRole('link').first()).toBeVisible()
  await expect(toggle).toHaveText(/Hide/, { useInnerText: true })
  await toggle.click()
  await expect(parts.getByRole('link').first()).toBeHidden()
  await expect(toggle).toHaveText(/Show/, { useInnerText: true })
  await toggle.click()
  const href = await parts.getByRole('link').last().getAttribute('href')
  await parts.getByRole('link').last().click()
  await expect(page.locator(`[id="${href?.slice(1)}"]`)).toBeInViewport()
})

for (const [path, titleMissing] of [
  ['/', 'title is required'],
  ['/contact', 'Title is required'],
] as const) {
  test(`the form of ${path} shows errors beside their fields, and is sent`, async ({ page }) => {
    await page.goto(path)
    await send(page, 'Send message')
    await expectErrors(page, {
      Email: 'Email is required',
      Title: titleMissing,
      Message: 'Message is required',
    })
    await page.getByLabel('Title').fill('<b>My exam</b>')
    await page.getByLabel('Message').fill('line one\nline two')
    await page.getByLabel('Email').fill('no address')
    await send(page, 'Send message')
    await expect(page.getByLabel('Title')).toHaveValue('<b>My exam</b>')
    await expect(page.getByLabel('Message')).toHaveValue('line one\nline two')
    await expectErrors(page, { Email: 'Enter a valid email address' })
    await expect(page.getByLabel('Email')).toBeFocused()
    await page.getByLabel('Email').fill('ada@example.org')
    await send(page, 'Send message')
    await expect(page.locator('form [role=status]')).toHaveText("Thank you. We'll reply by email.")
    for (const label of ['Email', 'Title', 'Message']) await expect(page.getByLabel(label)).toHaveValue('')
    await expect(page).toHaveURL(path)
  })
}

test('the review form names the missing fields, and its success', async ({ page }) => {
  await page.goto('/reviews')
  await send(page, 'Send review')
  await expectErrors(page, { Name: 'Name is required', Stars: 'Required', Review: 'Required' })
  await page.getByLabel('Name').fill('Ada')
  await page.getByRole('spinbutton', { name: 'Stars' }).fill('4.7')
  await page.getByRole('textbox', { name: 'Review' }).fill('Calm and clear.')
  await send(page, 'Send review')
  await expect(page.locator('form [role=status]')).toHaveText('Review sent successfully')
  await expect(page.getByLabel('Name')).toHaveValue('')
})

test('pagers above and below a list change its page', async ({ page }) => {
  for (const [path, item] of [
    ['/blogs', '.post-card'],
    ['/reviews', 'main figure'],
  ] as const) {
    await page.goto(path)
    await expect(page.locator(item)).toHaveCount(15)
    const first = await page.locator(item).first().textContent()
    const pagers = page.locator('main').getByRole('navigation')
    await expect(pagers).toHaveCount(2)
    await pagers.last().getByRole('link', { name: 'Next' }).click()
    await expect(page).toHaveURL(`${path}?page=2`)
    await expect(pagers.first()).toContainText('Page 2 of 2')
    expect(await page.locator(item).first().textContent()).not.toBe(first)
    await pagers.first().getByRole('link', { name: 'Previous' }).click()
    await expect(page).toHaveURL(path)
  }
})

test('a served page is visible without scripts', async ({ request }) => {
  for (const path of PAGES) {
    const html = await (await request.get(path)).text()
    expect(html, path).not.toMatch(/<script(?![^>]*(\bsrc=|type="application\/))/)
    expect(html, path).not.toContain('style="')
  }
})

async function send(page: Page, label: string): Promise<void> {
  await page.getByRole('button', { name: label }).click()
}

/** Each error describes its field; other fields have none. */
async function expectErrors(page: Page, errors: Record<string, string>): Promise<void> {
  await expect(page.locator('[aria-invalid=true]')).toHaveCount(Object.keys(errors).length)
  for (const [label, error] of Object.entries(errors)) {
    const field = page.locator('form').getByLabel(label, { exact: true })
    await expect(field).toHaveAttribute('aria-invalid', 'true')
    await expect(field).toHaveAccessibleDescription(new RegExp(`${error.replace('.', '\\.')}$`))
  }
}
