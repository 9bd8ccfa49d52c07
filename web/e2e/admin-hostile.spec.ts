import { readFileSync } from 'node:fs'
import { sanitizePostHtml } from '../../api/src/content/post-html.ts'
import { GOOD_HTML, HOSTILE_HTML } from '../../api/test/post-html-samples.ts'
import { ADMIN, type Product } from './product.ts'
import { expect, test } from './test.ts'

test.use({ env: { RATE_LIMITS: 'off' } })

const IMAGE = readFileSync(new URL('../../api/test/pictures/BENIGN-logo.svg', import.meta.url))
const LETTERS = 'abcdefghijklmnopqrstuvwxyz'
const PLAYERS = /^https:\/\/(www\.youtube(-nocookie)?\.com|player\.vimeo\.com)$/

async function signIn(product: Product): Promise<string> {
  const answer = await fetch(product.url('/api/auth'), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  return ((await answer.json()) as { accessToken: string }).accessToken
}

/** Posts as many as there are texts, each text also as title and summary, and answers their paths. */
async function publish(product: Product, texts: string[]): Promise<string[]> {
  const token = await signIn(product)
  const paths: string[] = []
  for (const [index, text] of texts.entries()) {
    const slug = `text-${LETTERS[Math.floor(index / 26)]}${LETTERS[index % 26]}`
    const form = new FormData()
    const plain = text.replace(/[\p{Cc}\p{Cf}\u2028]/gu, ' ').slice(0, 190)
    form.append('title', plain.trim() || 'x')
    form.append('summary', plain.trim() || 'x')
    form.append('slug', slug)
    form.append('content', `<p>Before.</p>${text}`)
    form.append('file', new File([IMAGE], 'a.svg', { type: 'image/svg+xml' }))
    const answer = await fetch(product.url('/api/blogs'), {
      method: 'POST',
      headers: { authorization: `Bearer ${token}` },
      body: form,
    })
    expect([answer.status, text, answer.status === 201 ? '' : await answer.text()]).toEqual([201, text, ''])
    paths.push(`/blog/${slug}`)
  }
  return paths
}

test('nothing in a post runs, loads from elsewhere or is complained of', async ({ browser, product }) => {
  const texts = [...HOSTILE_HTML, ...GOOD_HTML.map(([html]) => html)]
  // Many in one post, each cleaned by itself: one that is left open would hide those behind it. And some as they are.
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
  const tell = (what: string) => happened.push(`${new URL(page.url()).pathname}: ${what}`)
  page.on('dialog', (dialog) => {
    tell(`dialog ${dialog.message()}`)
    dialog.dismiss()
  })
  page.on('pageerror', (error) => tell(String(error)))
  page.on('console', (message) => {
    // Players are cut off, and one sample shows a picture that was never uploaded.
    const isExpected = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isExpected) tell(message.text())
  })
  // Players are not reached here; whatever else asks for another origin has got through.
  await page.route(
    (url) => url.origin !== product.origin,
    (route) => {
      const { origin } = new URL(route.request().url())
      if (!PLAYERS.test(origin)) tell(`request to ${origin}`)
      return route.abort()
    },
  )

  for (const path of [...paths, '/', '/blogs']) {
    const answer = await page.goto(product.url(path))
    expect([path, answer?.status()]).toEqual([path, 200])
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible()
  }
  // Without a new document: the text comes by the API and is put in by the page's own script.
  await page.goto(product.url('/blogs'))
  await page.locator('a[href^="/blog/text-"]').first().click()
  await expect(page.locator('.prose').first()).toContainText('Before.')
  expect(happened).toEqual([])
  await context.close()
})
