// @vitest-environment jsdom

import { describe, expect, it } from 'vitest'
import { pageKey, render } from '../entry-server.tsx'
import { testConfig, testLanguages } from '../testing/page-state.ts'
import { aPost, sampleApi } from '../testing/sample-content.ts'
import { sampleTexts } from '../testing/sample-texts.ts'

const PUBLIC_URL = 'https://chat.example'
const TEMPLATE =
  '<!doctype html><html lang="en"><head><!--page-head--></head><body><div id="root"><!--page-body--></div><!--page-state--></body></html>'

const ARTICLES = [
  'title-of-the-blog',
  'can-you-cheat-on-proctoru-understanding-the-proctoru-experience-your-questions-answered',
  'how-to-cheat-on-proctoru',
  'can-proctoru-detect-phones',
  'can-proctoru-see-my-screen',
].map((slug) => `/blog/${slug}`)

async function answer(path: string) {
  return render(
    {
      url: PUBLIC_URL + path,
      publicUrl: PUBLIC_URL,
      apiPrefix: '/api',
      languages: testLanguages,
      hours: null,
      config: testConfig,
      fetchApi: sampleApi({ posts: 40, reviews: 40 }).fetchApi,
      texts: sampleTexts(),
    },
    TEMPLATE,
  )
}

async function page(path: string) {
  const result = await answer(path)
  if (result.kind !== 'page') throw new Error(`${path} is no page`)
  const parsed = new DOMParser().parseFromString(result.html, 'text/html')
  return { ...result, parsed }
}

describe.each(ARTICLES)('the article %s', (path) => {
  it('is complete before any script runs', async () => {
    const { status, parsed } = await page(path)
    expect(status).toBe(200)
    expect(parsed.querySelectorAll('h1')).toHaveLength(1)
    const words = parsed.querySelector('.prose')?.textContent?.split(/\s+/) ?? []
    expect(words.length).toBeGreaterThanOrEqual(900)
    for (const time of parsed.querySelectorAll('.article-dates time')) {
      expect(time.getAttribute('datetime')).toMatch(/^20\d\d-/)
    }
    const drawing = parsed.querySelector('.article img')
    expect(drawing?.getAttribute('alt')).toMatch(/^Line drawing/)
    expect(drawing?.getAttribute('width')).toBe('1200')
  })

  it('has an open table of contents with a heading for each link', async () => {
    const { parsed } = await page(path)
    expect(parsed.querySelector('.in-this-article details')?.hasAttribute('open')).toBe(true)
    const links = Array.from(parsed.querySelectorAll('.in-this-article a'))
    const headings = Array.from(parsed.querySelectorAll('.prose h2'))
    expect(links.map((link) => link.getAttribute('href'))).toEqual(headings.map(({ id }) => `#${id}`))
    expect(links.map(({ textContent }) => textContent)).toEqual(
      headings.map(({ textContent }) => textContent),
    )
    const ids = Array.from(parsed.querySelectorAll('[id]'), ({ id }) => id)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('shows the seven newest posts beside it', async () => {
    const { parsed } = await page(path)
    const related = Array.from(parsed.querySelectorAll('.related a'), (link) => link.getAttribute('href'))
    expect(related).toEqual(Array.from({ length: 7 }, (_, n) => `/blog/${aPost(n + 1).slug}`))
    const [first] = parsed.querySelectorAll('.related a')
    expect(first?.textContent).toBe('Read more about Post 1')
  })

  it('contains its text once, and is below 40 KB before compression', async () => {
    const { html, parsed } = await page(path)
    const sentence = parsed.querySelector('.prose p')?.textContent?.slice(0, 60) ?? ''
    expect(sentence.length).toBe(60)
    expect(html.split(sentence)).toHaveLength(2)
    expect(new TextEncoder().encode(html).length).toBeLessThan(40 * 1024)
  })
})

describe('public pages', () => {
  const paths = [
    '/',
    '/blogs',
    '/blogs?page=2',
    '/reviews',
    '/reviews?page=2',
    '/contact',
    '/faq',
    `/blog/${aPost(1).slug}`,
    `/blog/${aPost(2).slug}`,
    ...ARTICLES,
  ]

  it('have unique titles and descriptions, canonical addresses and cards', { timeout: 60_000 }, async () => {
    const heads = await Promise.all(
      paths.map(async (path) => {
        const { status, parsed } = await page(path)
        expect([path, status]).toEqual([path, 200])
        expect([path, parsed.querySelectorAll('h1').length]).toEqual([path, 1])
        const content = (selector: string) =>
          parsed.querySelector(`meta[${selector}]`)?.getAttribute('content') ?? ''
        return {
          path,
          title: parsed.title,
          description: content('name="description"'),
          canonical: parsed.querySelector('[rel="canonical"]')?.getAttribute('href'),
          card: content('property="og:image"'),
          feed: parsed.querySelector('[type="application/atom+xml"]')?.getAttribute('href'),
        }
      }),
    )
    for (const { path, title, description, canonical, card, feed } of heads) {
      expect.soft(title.length, path).toBeLessThanOrEqual(65)
      expect.soft(description.length, path).toBeGreaterThanOrEqual(50)
      expect.soft(description.length, path).toBeLessThanOrEqual(165)
      expect.soft(canonical).toBe(PUBLIC_URL + path)
      expect.soft(card).toMatch(/^https:\/\/chat\.example\/.+\.(png|webp)$/)
      expect.soft(feed).toBe('/feed.xml')
    }
    expect(new Set(heads.map(({ title }) => title)).size).toBe(paths.length)
    expect(new Set(heads.map(({ description }) => description)).size).toBe(paths.length)
  })

  it.each([
    '/login',
    '/invite',
    '/c',
    '/c/unsubscribe',
    '/dashboard',
    '/unauthorized',
    '/nothing',
    '/blog/nothing',
    '/blogs?page=99',
  ])('leave search engines nothing to show of %s', async (path) => {
    const { parsed } = await page(path)
    expect(parsed.querySelector('[name="robots"]')?.getAttribute('content')).toBe('noindex')
    expect(parsed.querySelector('[rel="canonical"], [type="application/ld+json"]')).toBeNull()
  })
})

describe('another spelling of an address', () => {
  it.each([
    ['/Blogs/?page=2&utm_source=x', '/blogs?page=2&utm_source=x'],
    ['/BLOG/How-To-Cheat-On-ProctorU', '/blog/how-to-cheat-on-proctoru'],
    ['/Feed.xml', '/feed.xml'],
    ['/login/', '/login'],
    ['/Invite/', '/invite'],
  ])('leads from %s to %s for good', async (path, location) => {
    // The page is rendered for its key.
    const key = pageKey(PUBLIC_URL + path)
    expect(await answer(key)).toEqual({ kind: 'redirect', status: 308, location })
  })

  it.each(['//evil.example/', '//evil.example/Blogs', '/\\evil.example/'])(
    'is a 404 where it would redirect to another site: %s',
    async (path) => {
      expect(await answer(pageKey(PUBLIC_URL + path))).toMatchObject({ kind: 'page', status: 404 })
    },
  )

  it('keeps addresses of the admin area, which contain ids', async () => {
    expect(await answer('/dashboard/messages/AbCdEfGhIjKlMnOpQrSt')).toMatchObject({
      kind: 'page',
      status: 200,
    })
  })

  it('never has the key of the page itself', () => {
    expect(pageKey(`${PUBLIC_URL}/FAQ`)).not.toBe(pageKey(`${PUBLIC_URL}/faq`))
    expect(pageKey(`${PUBLIC_URL}/faq/`)).not.toBe(pageKey(`${PUBLIC_URL}/faq`))
  })
})

describe('the key of a page', () => {
  it.each([
    ['/blogs?page=1', '/blogs'],
    ['/blogs?utm_source=x', '/blogs'],
    ['/reviews?b=1&page=3', '/reviews?page=3'],
    ['/blogs?page=%2e%2e%2f&page=4', '/blogs?page=..%2F'],
    ['/faq?page=2', '/faq'],
    ['/feed.xml?x=1', '/feed.xml'],
  ])('of %s is %s', (path, key) => {
    expect(pageKey(PUBLIC_URL + path)).toBe(key)
  })
})
