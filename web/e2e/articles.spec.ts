import { violationsInBothSchemes } from './axe.ts'
import { Visitor } from './people.ts'
import { ARTICLES, expect, test } from './site.ts'

const [, , ARTICLE = ''] = ARTICLES

test.use({ isFirstVisit: true })

test('every article loads without console messages, and all its links and images exist', async ({
  browser,
  site,
}) => {
  const visitor = await Visitor.arrive(browser, site, { path: '/contact' })
  const { page } = visitor
  const addresses = new Set<string>()
  for (const path of ARTICLES) {
    await visitor.goto(path)
    await expect(page.locator('.prose h2').first()).toBeVisible()
    // The chat is the last that the page loads.
    await visitor.openChat()
    await expect(visitor.panel.getByText('Connected')).toBeVisible()
    const found = await page
      .locator('main a[href], main img, link[href], meta[property="og:image"]')
      .evaluateAll((elements) =>
        elements.map((element) => {
          const address = ['href', 'src', 'content'].map((name) => element.getAttribute(name)).find(Boolean)
          return new URL(address ?? '', location.href).href
        }),
      )
    for (const address of found)
      if (address.startsWith(site.origin)) addresses.add(address.split('#')[0] ?? '')
  }
  expect(addresses.size).toBeGreaterThan(20)
  for (const address of addresses) {
    const answer = await page.request.get(address)
    expect([address, answer.status()]).toEqual([address, 200])
  }
  expect(visitor.complaints).toEqual([])
  await visitor.leave()
})

test('an article and its table of contents work with JavaScript off', async ({ browser, site }) => {
  const visitor = await Visitor.arrive(browser, site, { path: ARTICLE, javaScriptEnabled: false })
  const { page } = visitor
  const list = page.getByRole('navigation', { name: 'In this article' })
  await expect(list.getByRole('link')).not.toHaveCount(0)
  await list.getByText('Hide').click()
  await expect(list.getByRole('link')).toHaveCount(0)
  await list.getByText('Show').click()
  await list.getByRole('link').last().click()
  await expect(page.locator('.prose h2').last()).toBeInViewport()
  await visitor.leave()
})

test('the table of contents marks the current heading', async ({ browser, site }) => {
  const visitor = await Visitor.arrive(browser, site, { path: ARTICLE })
  const { page } = visitor
  const list = page.getByRole('navigation', { name: 'In this article' })
  const current = list.locator('[aria-current="location"]')
  const headings = page.locator('.prose h2')
  await expect(current).toHaveCount(0)

  await list.getByRole('link').nth(2).click()
  await expect(headings.nth(2)).toBeInViewport()
  await expect(current).toHaveText((await headings.nth(2).textContent()) ?? '')
  // Jumps over two headings, then back above all of them.
  await headings.nth(4).evaluate((heading) => heading.scrollIntoView())
  await expect(current).toHaveText((await headings.nth(4).textContent()) ?? '')
  await page.evaluate(() => scrollTo(0, 0))
  await expect(current).toHaveCount(0)
  await visitor.leave()
})

test('a related post opens at its top, and going back shows the whole article', async ({ browser, site }) => {
  const visitor = await Visitor.arrive(browser, site, { path: ARTICLE })
  const { page } = visitor
  // Hydrated: a link pressed before loads another document.
  await expect(visitor.launcher).toBeVisible()
  const text = await page.locator('.prose').textContent()
  await page.evaluate(() => {
    document.body.title = 'the same document'
  })
  const readMore = page.getByRole('complementary').getByRole('link', { name: /^Read more about / })
  await expect(readMore).toHaveCount(7)
  await readMore.last().click()
  await expect(page.getByRole('heading', { level: 1 })).not.toHaveText(/cheat/)
  await expect.poll(() => page.evaluate(() => scrollY)).toBe(0)
  await page.goBack()
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/How to cheat/)
  await expect.poll(() => page.locator('.prose').textContent()).toBe(text)
  expect(await page.evaluate(() => document.body.title)).toBe('the same document')
  expect(visitor.complaints).toEqual([])
  await visitor.leave()
})

test('axe finds nothing on an article and its chat, in both schemes at any width', async ({
  browser,
  site,
}) => {
  for (const width of [360, 768, 1440]) {
    const viewport = { width, height: 900 }
    const visitor = await Visitor.arrive(browser, site, { path: ARTICLES[3] ?? '', viewport })
    const { page } = visitor
    await visitor.chatShown()
    if (width === 1440) await visitor.openChat()
    expect(await violationsInBothSchemes(page), `${width} px`).toEqual([])
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
    await visitor.leave()
  }
})

test('robots.txt, sitemap, feed, manifest and icons are served and revalidated', async ({ page, site }) => {
  for (const [path, type] of [
    ['/robots.txt', 'text/plain; charset=utf-8'],
    ['/sitemap.xml', 'application/xml; charset=utf-8'],
    ['/feed.xml', 'application/atom+xml; charset=utf-8'],
    ['/manifest.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['/dashboard.webmanifest', 'application/manifest+json; charset=utf-8'],
    ['/favicon.ico', 'image/x-icon'],
    ['/apple-touch-icon.png', 'image/png'],
    ['/icon-192.png', 'image/png'],
    ['/cards/home.png', 'image/png'],
  ] as const) {
    const answer = await page.request.get(site.url(path))
    expect([path, answer.status(), answer.headers()['content-type']]).toEqual([path, 200, type])
    const again = await page.request.get(site.url(path), {
      headers: { 'if-none-match': answer.headers().etag ?? '' },
    })
    expect([path, again.status()]).toEqual([path, 304])
  }
  const map = await (await page.request.get(site.url('/sitemap.xml'))).text()
  for (const [, address = ''] of map.matchAll(/<loc>(.*?)<\/loc>/g)) {
    expect([address, (await page.request.get(address)).status()]).toEqual([address, 200])
  }
})
