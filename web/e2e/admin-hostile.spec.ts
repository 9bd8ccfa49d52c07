import { sanitizePostHtml } from '../../api/src/content/post-html.ts'
import { GOOD_HTML, HOSTILE_HTML } from '../../api/test/post-html-samples.ts'
import type { Product } from './product.ts'
import { expect, test } from './test.ts'

test.use({ env: { RATE_LIMITS: 'off' } })

const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const PLAYERS = /^https:\/\/(www\.youtube(-nocookie)?\.com|player\.vimeo\.com)$/

/** Creates a post for each text, with the text also as title and summary; resolves to their paths. */
async function publish(product: Product, texts: string[]): Promise<string[]> {
  const paths: string[] = []
  for (const [index, text] of texts.entries()) {
    const slug = `text-${LETTERS[Math.floor(index / 26)]}${LETTERS[index % 26]}`
    const plain = text.replace(/[\p{Cc}\p{Cf}\u2028]/gu, ' ').slice(0, 190)
    const title = plain.trim() || 'x'
    await product.createPost({ title, summary: title, slug, content: `<p>Before.</p>${text}` })
    paths.push(`/blog/${slug}`)
  }
  return paths
}

test('a hostile post runs nothing, loads nothing from other origins and logs no error', async ({
  browser,
  product,
}) => {
  const texts = [...HOSTILE_HTML, ...GOOD_HTML.map(([html]) => html)]
  // Twelve per post, each sanitized on its own, because an unclosed one would hide the next; four unsanitized.
  const posts = texts.slice(0, 4)
  while (texts.length > 0)
    posts.push(
      texts
        .splice(0, 12)
        .map((text) => sanitizePostHtml(text, product.origin))
        .join(''),
    )
  const paths = await publish(product, posts)
  const context = await browser.newContext()
  const page = await context.newPage()
  const happened: string[] = []
  const note = (what: string) => happened.push(`${new URL(page.url()).pathname}: ${what}`)
  page.on('dialog', (dialog) => {
    note(`dialog ${dialog.message()}`)
    dialog.dismiss()
  })
  page.on('pageerror', (error) => note(String(error)))
  page.on('console', (message) => {
    // Players are blocked, and one sample has an image that was never uploaded.
    const isExpected = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isExpected) note(message.text())
  })
  // Players are blocked; any other request to another origin is a failure.
  await page.route(
    (url) => url.origin !== product.origin,
    (route) => {
      const { origin } = new URL(route.request().url())
      if (!PLAYERS.test(origin)) note(`request to ${origin}`)
      return route.abort()
    },
  )

  for (const path of [...paths, '/', '/blogs']) {
    const answer = await page.goto(product.url(path))
    expect([path, answer?.status()]).toEqual([path, 200])
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  // Client-side navigation: the content comes from the API and is inserted by script.
  await page.goto(product.url('/blogs'))
  await page.locator('a[href^="/blog/text-"]').first().click()
  await expect(page.locator('.prose').first()).toContainText('Before.')
  expect(happened).toEqual([])
  await context.close()
})
