import type { Locator } from '@playwright/test'
import type { BlogList } from '@proctorpass/shared/schemas/blog'
import { Admin } from './people.ts'
import { ARTICLE, POST } from './site.ts'
import { expect, test } from './test.ts'

test.use({ env: { SEED_DEMO: 'true', RATE_LIMITS: 'off' } })

test('no heading of a post runs over the related posts', async ({ page, product }) => {
  await page.addInitScript(() => localStorage.setItem('liveChat', 'false'))
  const answer = await fetch(product.url('/api/blogs?page=1&perPage=100'))
  const { blogs } = (await answer.json()) as BlogList
  expect(blogs.length).toBeGreaterThan(15)
  for (const { slug } of blogs) {
    await page.goto(product.url(`/blog/${slug}`))
    for (const width of [1_376, 1_440]) {
      await page.setViewportSize({ width, height: 900 })
      const heading = await textBox(page.getByRole('heading', { level: 1 }))
      const related = await textBox(page.getByRole('heading', { name: 'Related content' }))
      expect(heading.right, `${slug} at ${width} px`).toBeLessThan(related.left)
    }
  }
})

test("an article's grid stays between the header's edges", async ({ page, product }) => {
  await page.addInitScript(() => localStorage.setItem('liveChat', 'false'))
  for (const path of [ARTICLE, POST]) {
    await page.goto(product.url(path))
    for (const width of [1_280, 1_440, 1_920]) {
      await page.setViewportSize({ width, height: 900 })
      const header = page.getByRole('banner')
      const brand = await header.getByRole('link', { name: 'ProctorPass' }).boundingBox()
      const firstLink = await textBox(header.getByRole('link', { name: 'Home' }))
      const chat = await header.getByRole('button', { name: 'Live Chat' }).boundingBox()
      const heading = await textBox(page.getByRole('heading', { level: 1 }))
      expect(heading.left, `${path} at ${width} px`).toBeCloseTo(firstLink.left, -1)
      const edges = await page.locator('main :is(h1, p, li, dd, img, nav)').evaluateAll((all) =>
        all
          .filter((each) => each.checkVisibility())
          .map((each) => each.getBoundingClientRect())
          .map(({ left, right }) => ({ left, right })),
      )
      const left = Math.min(...edges.map((edge) => edge.left))
      const right = Math.max(...edges.map((edge) => edge.right))
      expect(left, `${path} at ${width} px`).toBeGreaterThanOrEqual((brand?.x ?? 0) - 1)
      expect(right, `${path} at ${width} px`).toBeLessThanOrEqual((chat?.x ?? 0) + (chat?.width ?? 0) + 1)
    }
  }
})

test('row numbers stand on one line', async ({ browser, product }) => {
  for (let number = 1; number <= 12; number++) {
    const body = new URLSearchParams({
      email: `${number}@example.org`,
      title: 'Hello',
      message: 'a '.repeat(900),
    })
    await fetch(product.url('/contact'), { method: 'POST', body })
  }
  const admin = await Admin.signIn(browser, product, '/dashboard/contacts')
  const { page } = admin
  for (const path of ['contacts', 'my-reviews']) {
    await page.goto(product.url(`/dashboard/${path}`))
    const number = page.locator('td:first-child').getByText('12', { exact: true })
    for (const width of [360, 800, 1_280]) {
      await page.setViewportSize({ width, height: 800 })
      await expect(number).toBeVisible()
      expect((await textBox(number)).lines, `${path} at ${width} px`).toBe(1)
    }
  }
  await admin.leave()
})

test.describe('without any content', () => {
  test.use({ env: { RATE_LIMITS: 'off', PUBLIC_REVIEWS: 'moderated' } })

  test('an empty list says what to do next', async ({ browser, page, product }) => {
    for (const [path, message, next, target] of [
      ['/blogs', 'No blogs found!', 'our guides', '#guides'],
      ['/reviews', 'No reviews found!', 'add one', '#add-review'],
    ] as const) {
      await page.goto(product.url(path))
      await expect(page.getByText(message, { exact: true })).toBeVisible()
      await page.getByRole('main').getByRole('link', { name: next }).click()
      await expect(page.locator(target)).toBeInViewport()
    }

    const admin = await Admin.signIn(browser, product, '/dashboard/contacts')
    const main = admin.page.getByRole('main')
    const centers = new Set<number>()
    for (const [path, message, next, href] of [
      ['contacts', 'No contacts  found!', 'contact form', '/contact'],
      ['my-reviews', 'No reviews found!', 'Add a review', '/dashboard/add-review'],
      ['my-reviews', 'No reviews to approve', 'review form', '/reviews'],
    ] as const) {
      await admin.goto(`/dashboard/${path}`)
      const box = await textBox(main.getByText(message, { exact: true }))
      centers.add((box.left + box.right) / 2)
      await expect(main.getByRole('link', { name: next })).toHaveAttribute('href', href)
    }
    // The message is in the middle of each page.
    expect(centers.size).toBe(1)
    await admin.leave()
  })
})

/** The box around the text, which can be narrower or wider than its element. */
function textBox(element: Locator): Promise<{ left: number; right: number; lines: number }> {
  return element.evaluate((node) => {
    const range = document.createRange()
    range.selectNodeContents(node)
    const rects = [...range.getClientRects()]
    return {
      left: Math.min(...rects.map(({ left }) => left)),
      right: Math.max(...rects.map(({ right }) => right)),
      lines: new Set(rects.map(({ top }) => top)).size,
    }
  })
}
