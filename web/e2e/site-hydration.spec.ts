import { ARTICLE, expect, open, PAGES, POST, test } from './site.ts'

test('every page hydrates without console messages', async ({ page, complaints }) => {
  for (const path of [...PAGES, '/blogs?page=2', '/unauthorized', '/no-such-page', '/login', '/invite']) {
    await test.step(path, async () => {
      if (['/login', '/invite'].includes(path)) await page.goto(path)
      else await open(page, path)
      await page.waitForLoadState('networkidle')
      // The browser itself logs the status of the document.
      const unexpected = complaints.filter((text) => !(path === '/no-such-page' && text.includes('404')))
      expect(unexpected).toEqual([])
      complaints.length = 0
    })
  }
})

test('navigating the site loads no second document and logs nothing', async ({ page, complaints }) => {
  let documents = 0
  page.on('request', (request) => {
    if (request.isNavigationRequest()) documents += 1
  })
  await open(page, '/')
  const menu = page.getByRole('banner')
  const heading = page.getByRole('heading', { level: 1 })
  const walk: [string, () => Promise<void>][] = [
    ['Blog', () => menu.getByRole('link', { name: 'Blog', exact: true }).click()],
    ['A quiet room in a loud house', () => page.locator(`main a[href="${POST}"]`).click()],
    ['Contact', () => menu.getByRole('link', { name: 'Contact' }).click()],
    ['Reviews', () => menu.getByRole('link', { name: 'Reviews' }).click()],
    ['Questions and answers', () => menu.getByRole('link', { name: 'FAQ' }).click()],
    ['Go into your proctored exam prepared.', () => menu.getByRole('link', { name: 'Home' }).click()],
  ]
  for (const [title, step] of walk) {
    await step()
    await expect(heading).toHaveText(title)
  }
  await page.goBack()
  await expect(heading).toHaveText('Questions and answers')
  await page.goBack()
  await expect(heading).toHaveText('Reviews')
  expect(documents).toBe(1)
  expect(complaints).toEqual([])
})

test('an article reached by a link equals the served one', async ({ page, complaints }) => {
  await page.goto(ARTICLE)
  const served = await page.locator('article.article').textContent()
  await open(page, '/faq')
  await page.evaluate((path) => {
    history.pushState(null, '', path)
    dispatchEvent(new PopStateEvent('popstate'))
  }, ARTICLE)
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(/^Can ProctorU detect phones/)
  await expect.poll(() => page.locator('article.article').textContent()).toBe(served)
  expect(complaints).toEqual([])
})
