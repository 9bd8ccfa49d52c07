import type { Page } from '@playwright/test'
import { preview } from '../src/lib/preview.ts'
import { ourAnswer, ourError } from './our-answer.ts'
import { ADMIN } from './product.ts'
import { ARTICLES, expect, open, POST, test } from './site.ts'

test('the bar is tinted once the page has scrolled more than 70 px', async ({ page }) => {
  await open(page, '/faq')
  const bar = page.getByRole('banner')
  const color = () => bar.evaluate((element) => getComputedStyle(element).backgroundColor)
  const plain = await color()
  await page.evaluate(() => scrollTo({ top: 70, behavior: 'instant' }))
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(70)
  expect(await color()).toBe(plain)
  await page.evaluate(() => scrollTo({ top: 71, behavior: 'instant' }))
  await expect.poll(color).not.toBe(plain)
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
  await expect.poll(color).toBe(plain)
})

test('the footer shows the opening hours, at once after they change', async ({ page, product }) => {
  await page.goto(product.url('/faq'))
  const hours = page.getByRole('contentinfo').getByRole('list', { name: 'Chat hours' })
  await expect(hours).toHaveText('Write any time')
  await product.configure({
    hours: { timeZone: 'Europe/Berlin', spans: [{ day: 2, from: '09:00', to: '17:00' }], closed: [] },
  })
  await page.reload()
  await expect(hours.getByRole('listitem')).toHaveText(['Tuesday, 9 AM to 5 PM Central European Time'])
})

test('a visitor in another time zone also reads the hours on the own clock, and nothing moves', async ({
  browser,
  product,
}) => {
  await product.configure({
    hours: { timeZone: 'America/New_York', spans: [{ day: 2, from: '09:00', to: '18:00' }], closed: [] },
  })
  const read = async (timezoneId: string, count: number) => {
    // The footer is on the screen too.
    const context = await browser.newContext({ timezoneId, viewport: { width: 1280, height: 1600 } })
    const page = await context.newPage()
    const problems: string[] = []
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()))
    await page.goto(product.url('/contact'))
    const main = page.getByRole('main')
    await expect(main.getByText('Tuesday, 9 AM to 6 PM Eastern Time')).toBeVisible()
    await expect(page.locator('.chat-launcher')).toBeVisible()
    await expect(main.getByText(/^Your time: .*day, 1[01] PM to [78] AM$/)).toHaveCount(count)
    const shift = await page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          let sum = 0
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries())
              sum += (entry as PerformanceEntry & { value: number }).value
          }).observe({ type: 'layout-shift', buffered: true })
          requestAnimationFrame(() => setTimeout(() => resolve(sum)))
        }),
    )
    expect(shift).toBe(0)
    expect(problems).toEqual([])
    await context.close()
  }
  await read('Asia/Tokyo', 1)
  await read('America/New_York', 0)
})

test('each Live Chat button opens and closes the chat', async ({ page }) => {
  await open(page, '/')
  const panel = page.getByRole('dialog', { name: 'Welcome to ProctorPass, Solution For Proctored Exams' })
  const places = [page.getByRole('banner'), page.getByRole('contentinfo'), page.locator('main')]
  for (const place of places) {
    const buttons = place.getByRole('button', { name: 'Live Chat', exact: true })
    await expect(buttons).not.toHaveCount(0)
    for (const button of await buttons.all()) {
      await button.scrollIntoViewIfNeeded()
      await button.click()
      await expect(panel).toBeVisible()
      await button.click()
      await expect(panel).toBeHidden()
    }
  }
})

test('home shows three posts and four reviews, and links to all of them, to the blog and to the form', async ({
  page,
}) => {
  await open(page, '/')
  const main = page.locator('main')
  await expect(main.locator('.post-card')).toHaveCount(3)
  await expect(main.locator('figure.review')).toHaveCount(4)
  await expect(main.locator('a[href="/blogs"]')).not.toHaveCount(0)
  await expect(main.locator('a[href="/reviews"]')).not.toHaveCount(0)
  await main.locator('a[href="#blogs"]').first().click()
  await expect(page.locator('#blogs')).toBeInViewport({ ratio: 0.5 })
  await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
  await main.locator('a[href="/contact"]').first().click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Contact')
})

test("the home page's picture of a chat has no controls, and is straight on a phone", async ({ page }) => {
  await open(page, '/')
  const picture = page.getByRole('figure', { name: 'An example of a chat with us' })
  await expect(picture.getByRole('listitem')).toHaveCount(4)
  await expect(picture.locator('a, button, input, textarea, [tabindex]')).toHaveCount(0)
  const turned = () => picture.evaluate((figure) => getComputedStyle(figure).rotate)
  expect(await turned()).toBe('1.6deg')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await turned()).toBe('none')
})

test('the cards in a row of posts or reviews have the same height', async ({ page }) => {
  for (const [path, card] of [
    ['/blogs', '.post-card'],
    ['/reviews', '.review'],
  ] as const) {
    await open(page, path)
    const boxes = await page
      .locator(`main ${card}`)
      .evaluateAll((all) =>
        all.map((each) => each.getBoundingClientRect()).map(({ top, height }) => ({ top, height })),
      )
    for (const { top } of boxes) {
      const heights = boxes.filter((box) => box.top === top).map(({ height }) => Math.round(height))
      expect(new Set(heights).size, path).toBe(1)
    }
  }
})

test('the prices and figures of home stand on one line each on a phone', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await open(page, '/')
  const lines = await page.locator(':is(.figures, .prices) dt').evaluateAll((all) =>
    all.map((figure) => {
      const words = document.createRange()
      words.selectNodeContents(figure)
      return words.getClientRects().length
    }),
  )
  expect(lines).not.toEqual([])
  expect(lines.filter((count) => count !== 1)).toEqual([])
})

test('lists show 15 posts, sidebars 7 without the current one, summaries 150 characters', async ({
  page,
  request,
}) => {
  const { blogs, count } = await (await request.get('/api/blogs?page=1&perPage=15')).json()
  await open(page, '/blogs')
  const cards = page.locator('.post-card')
  await expect(cards).toHaveCount(15)
  await expect(page.locator('main nav').first()).toContainText(`Page 1 of ${Math.ceil(count / 15)}`)
  for (const [index, { title, summary }] of blogs.entries()) {
    await expect(cards.nth(index).getByRole('heading')).toHaveText(title)
    await expect(cards.nth(index).locator('p:not(.post-date)')).toHaveText(preview(summary, 150))
  }
  await expect(cards.locator('img').first()).toHaveAttribute('src', blogs[0].img)

  await cards.last().getByRole('link').click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(blogs.at(-1).title)
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)

  const related = page.getByRole('complementary', { name: 'Related content' })
  for (const path of [...ARTICLES, POST, `/blog/${blogs[0].slug}`]) {
    await page.goto(path)
    const links = await related
      .getByRole('link')
      .evaluateAll((elements) => elements.map((link) => link.getAttribute('href')))
    expect(links).not.toContain(path)
    expect(links.length, path).toBe(ARTICLES.includes(path) ? 7 : 6)
  }
})

test('stars have an accessible name with the exact rating', async ({ page, request }) => {
  const { reviews } = await (await request.get('/api/reviews?page=1&perPage=15')).json()
  await open(page, '/reviews')
  const stars = page.locator('figure.review').getByRole('img')
  const expected = reviews.map(({ star }: { star: number }) => `${star} out of 5`)
  expect(await stars.evaluateAll((all) => all.map((each) => each.getAttribute('aria-label')))).toEqual(
    expected,
  )
})

for (const [path, titleMissing] of [
  ['/', 'title is required'],
  ['/contact', 'Title is required'],
] as const) {
  test(`the form of ${path} shows missing fields, keeps its values on a failure, and is sent`, async ({
    page,
  }) => {
    await open(page, path)
    const form = page.locator('form')
    const result = form.getByRole('status')
    const notices = page.getByRole('region', { name: 'Notices' })
    await page.getByRole('button', { name: 'Send message' }).click()
    await expectErrors(page, ['Email is required', titleMissing, 'Message is required'])
    await expect(form.getByLabel('Email')).toBeFocused()

    const typed = { Email: 'ada@example.org', Title: 'My <i>exam</i>', Message: 'one\ntwo' }
    for (const [label, text] of Object.entries(typed)) await form.getByLabel(label).fill(text)
    await expect(form.locator('[aria-invalid=true]')).toHaveCount(0)
    await page.route('**/api/contacts', (route) =>
      route.fulfill(ourError(route.request(), 503, { message: 'Too busy just now.', code: 'unavailable' })),
    )
    await page.getByRole('button', { name: 'Send message' }).click()
    await expect(result).toHaveText('Too busy just now.')
    await expect(notices).toContainText('Too busy just now.')
    for (const [label, text] of Object.entries(typed)) await expect(form.getByLabel(label)).toHaveValue(text)

    await page.unroute('**/api/contacts')
    await page.getByRole('button', { name: 'Send message' }).click()
    const thanks = "Thank you. We'll reply by email."
    await expect(result).toHaveText(thanks)
    await expect(notices).toContainText(thanks)
    for (const label of Object.keys(typed)) await expect(form.getByLabel(label)).toHaveValue('')
  })
}

test('the review form is acknowledged and cleared without a request', async ({ page }) => {
  await open(page, '/reviews')
  await page.getByRole('button', { name: 'Send review' }).click()
  await expectErrors(page, ['Name is required', 'Required', 'Required'])
  await expect(page.getByLabel('Name')).toBeFocused()
  await page.getByLabel('Name').fill('Ada')
  await page.getByRole('textbox', { name: 'Review' }).fill('Calm.')
  const stars = page.getByRole('spinbutton', { name: 'Stars' })
  for (const wrong of ['0', '6', '0.5']) {
    await stars.fill(wrong)
    await page.getByRole('button', { name: 'Send review' }).click()
    await expect(stars).toHaveAttribute('aria-invalid', 'true')
    await expect(stars).toBeFocused()
  }
  const calls: string[] = []
  page.on('request', (call) => {
    if (!call.url().includes('/assets/')) calls.push(`${call.method()} ${call.url()}`)
  })
  await stars.fill('4.7')
  expect(await stars.evaluate((input: HTMLInputElement) => input.validity.valid)).toBe(true)
  await page.getByRole('button', { name: 'Send review' }).click()
  await expect(page.locator('form').getByRole('status')).toHaveText('Review sent successfully')
  await expect(page.getByLabel('Name')).toHaveValue('')
  await expect(stars).toHaveValue('')
  expect(calls).toEqual([])
})

test('a list that cannot be loaded shows an error and a retry button', async ({ page }) => {
  await open(page, '/faq')
  let refused = 0
  await page.route('**/api/blogs*', (route) => {
    refused++
    return route.abort()
  })
  await page.getByRole('banner').getByRole('link', { name: 'Blog', exact: true }).click()
  await expect(page.getByText('Could not load blog try again!')).toBeVisible()
  const before = refused
  await page.getByRole('button', { name: 'Try again' }).click()
  // The second attempt must fail before requests pass again, else it succeeds and the button is gone.
  await expect.poll(() => refused).toBeGreaterThan(before)
  await expect(page.getByText('Could not load blog try again!')).toBeVisible()
  await page.unroute('**/api/blogs*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.locator('.post-card')).toHaveCount(15)
  await expect(page.getByText('Could not load blog try again!')).toBeHidden()
})

test('a post that cannot be loaded shows an error and a retry button', async ({ page }) => {
  await open(page, '/blogs')
  await page.route('**/api/blogs/one/*', (route) => route.abort())
  await page.locator(`main a[href="${POST}"]`).click()
  await expect(page.getByText('Could not load blog try again!')).toBeVisible()
  await page.unroute('**/api/blogs/one/*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('A quiet room in a loud house')
})

test('an unexpected error is shown inside the frame of the site', async ({ page }) => {
  await open(page, '/faq')
  await page.route('**/api/blogs*', (route) => route.fulfill(ourAnswer(route.request(), { blogs: 7 })))
  await page.getByRole('banner').getByRole('link', { name: 'Blog', exact: true }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Unexpected Application Error!')
  await expect(page.getByRole('contentinfo')).toBeVisible()
  await page.getByRole('banner').getByRole('link', { name: 'Contact' }).click()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Contact')
})

test('lists are refetched on a page change, and on focus after a while', async ({ page }) => {
  // The time of the page stands still: a slow machine's is no later.
  const start = Date.now()
  await page.clock.setFixedTime(start)
  await open(page, '/reviews')
  const calls: string[] = []
  page.on('request', (call) => {
    const { pathname, search } = new URL(call.url())
    if (pathname.startsWith('/api/reviews')) calls.push(search)
  })
  await page.locator('main nav').first().getByRole('link', { name: 'Next' }).click()
  await expect(page).toHaveURL('/reviews?page=2')
  await expect.poll(() => calls).toEqual(['?page=2&perPage=15'])
  await expect(page.locator('main')).toHaveAttribute('aria-busy', 'false')

  const comeBack = () => page.evaluate(() => dispatchEvent(new Event('focus')))
  await page.clock.setFixedTime(start + 10_000)
  await comeBack()
  await page.clock.setFixedTime(start + 31_000)
  await comeBack()
  await expect.poll(() => calls).toEqual(['?page=2&perPage=15', '?page=2&perPage=15'])
})

test('Go Back goes back one step', async ({ page }) => {
  await open(page, '/reviews')
  await open(page, '/faq')
  await open(page, '/unauthorized')
  await page.getByRole('button', { name: 'Go Back' }).click()
  await expect(page).toHaveURL('/faq')
})

test('the guard restores the requested page and adds no history entry', async ({ page }) => {
  await open(page, '/faq')
  await page.goto('/dashboard/chats?from=mail')
  await expect(page).toHaveURL('/login')
  await page.getByLabel('Username').fill(ADMIN.userName)
  await page.getByLabel('Password', { exact: true }).fill(ADMIN.password)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await expect(page).toHaveURL('/dashboard/chats?from=mail')
  // A page from the back/forward cache fires no load event.
  await page.goBack({ waitUntil: 'commit' })
  await expect(page).toHaveURL('/faq')
})

test('the FAQ and the articles contain the facts', async ({ request }) => {
  const texts = await Promise.all(['/faq', ...ARTICLES].map(async (path) => (await request.get(path)).text()))
  const text = texts
    .join('\n')
    .replace(/<[^>]*>|&nbsp;/g, ' ')
    .replaceAll('–', '-')
  for (const fact of [
    /60 minutes/,
    /(five|5) minutes/,
    /2-3 minutes/,
    /3 to 4 days/,
    /10 to 14 days/,
    /48 hours/,
    /15 business days/,
    /5 USD/,
    /1024 kbps/,
    /\$2000-\$5000/,
    /\$1500/,
    /Bitcoin/,
    /5 business days/,
    /no installments/i,
  ])
    expect(text).toMatch(fact)
})

async function expectErrors(page: Page, errors: string[]): Promise<void> {
  const wrong = page.locator('form [aria-invalid=true]')
  await expect(wrong).toHaveCount(errors.length)
  for (const [index, error] of errors.entries()) {
    await expect(wrong.nth(index)).toHaveAccessibleDescription(new RegExp(`${error}$`))
  }
}

test('a page of an older build reloads to get its chat, once no typed input would be lost', async ({
  page,
}) => {
  await page.setViewportSize({ width: 360, height: 740 })
  await open(page, '/contact')
  // As after an update: the chunk of this page is gone.
  await page.route('**/assets/panel-*.js', (route) => route.fulfill({ status: 404 }))
  await page.getByLabel('Title').fill('My exam')
  await page.getByRole('banner').getByRole('button', { name: 'Live Chat' }).click()
  const again = page.getByRole('button', { name: 'Try again' })
  await again.click()
  await expect(again).toBeVisible()
  await expect(page.getByLabel('Title')).toHaveValue('My exam')

  await page.getByLabel('Title').fill('')
  // The reloaded page requests the new chunk.
  page.once('framenavigated', () => void page.unroute('**/assets/panel-*.js'))
  await again.click()
  await expect(page.getByRole('dialog', { name: /^Welcome to/ })).toBeVisible()
})

test('a page whose chunk is gone after an update is reloaded', async ({ page }) => {
  await open(page, '/contact')
  await page.route('**/assets/faq-*.js', (route) => route.fulfill({ status: 404 }))
  page.on('framenavigated', () => void page.unroute('**/assets/faq-*.js'))
  const loaded = page.waitForRequest((request) => request.isNavigationRequest())
  await page.getByRole('banner').getByRole('link', { name: 'FAQ' }).click()
  expect(new URL((await loaded).url()).pathname).toBe('/faq')
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Questions and answers')
})
