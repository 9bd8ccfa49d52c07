// @vitest-environment jsdom

import type { BlogSummary } from '@proctorpass/shared/schemas/blog'
import type { RenderInput } from '@proctorpass/shared/ssr'
import { describe, expect, it } from 'vitest'
import { testConfig, testLanguages } from '../testing/page-state.ts'
import { aPost } from '../testing/sample-content.ts'
import { sampleTexts } from '../testing/sample-texts.ts'
import { textAt } from './text-at.ts'

const PUBLIC_URL = 'https://chat.example'

const HOSTILE = [
  '</title><script>alert(1)</script>',
  ']]><!-- & &amp; <b>"\'',
  'bell \u0007 nul \u0000 lone \ud800 half \ufffe',
  '𝕏 \u202egnp.exe 中文 \u2028',
]

function inputOver(posts: BlogSummary[], brand = testConfig.brand): RenderInput & { asked: string[] } {
  const asked: string[] = []
  return {
    asked,
    url: PUBLIC_URL,
    publicUrl: PUBLIC_URL,
    apiPrefix: '/api',
    languages: testLanguages,
    hours: null,
    config: { ...testConfig, brand },
    texts: sampleTexts(brand),
    async fetchApi(path) {
      asked.push(path)
      const { searchParams } = new URL(path, PUBLIC_URL)
      const [page, perPage] = [Number(searchParams.get('page')), Number(searchParams.get('perPage'))]
      const blogs = posts.slice((page - 1) * perPage, page * perPage)
      return { status: 200, json: async () => ({ blogs, count: posts.length }) }
    },
  }
}

async function textOf(path: string, input: RenderInput): Promise<string> {
  const found = await textAt(path, input)
  if (!found) throw new Error(`nothing at ${path}`)
  return found.text
}

/** By a parser that gives up at the first fault. */
async function xmlAt(path: string, input: RenderInput): Promise<Document> {
  const parsed = new DOMParser().parseFromString(await textOf(path, input), 'application/xml')
  expect(parsed.querySelector('parsererror')?.textContent).toBeUndefined()
  return parsed
}

const texts = (parsed: Document, selector: string) =>
  Array.from(parsed.querySelectorAll(selector), ({ textContent }) => textContent)

const hostilePosts = HOSTILE.map((text, n) => ({
  ...aPost(n + 1),
  title: text,
  summary: text,
  ...{ createdAt: `2030-01-0${9 - n}T00:00:00.000Z`, publishAt: `2030-01-0${9 - n}T00:00:00.000Z` },
}))

describe('the feed', () => {
  it('contains the ten newest posts and articles, newest first', async () => {
    const posts = Array.from({ length: 30 }, (_, n) => aPost(n))
    const input = inputOver(posts)
    const feed = await xmlAt('/feed.xml', input)
    const published = texts(feed, 'entry > published')
    expect(published).toHaveLength(10)
    expect(published).toEqual(published.toSorted().toReversed())
    // The articles are newer than these posts.
    expect(texts(feed, 'entry > id')).toContain(`${PUBLIC_URL}/blog/how-to-cheat-on-proctoru`)
    expect(texts(feed, 'entry > id')).toContain(`${PUBLIC_URL}/blog/${posts[0]?.slug}`)
    expect(input.asked).toHaveLength(1)
  })

  it('has the required elements of Atom', async () => {
    const feed = await xmlAt('/feed.xml', inputOver([aPost(1)]))
    expect(feed.documentElement.namespaceURI).toBe('http://www.w3.org/2005/Atom')
    for (const parent of [feed.documentElement, ...feed.querySelectorAll('entry')]) {
      const own = Array.from(parent.children, ({ localName }) => localName)
      for (const name of ['id', 'title', 'updated', 'link']) expect(own).toContain(name)
      for (const link of parent.querySelectorAll(':scope > link')) {
        expect(link.getAttribute('href')).toMatch(/^https:\/\/chat\.example\//)
      }
    }
    expect(texts(feed, 'feed > author > name')).toEqual(['ProctorPass'])
    for (const time of texts(feed, 'updated, published')) expect(new Date(time).toISOString()).toBe(time)
  })

  it('escapes hostile text, and drops characters that XML cannot contain', async () => {
    const feed = await xmlAt('/feed.xml', inputOver(hostilePosts, HOSTILE[0]))
    expect(texts(feed, 'entry > title').slice(0, 4)).toEqual([
      HOSTILE[0],
      HOSTILE[1],
      'bell  nul  lone \ufffd half ',
      HOSTILE[3],
    ])
    expect(texts(feed, 'entry > summary').slice(0, 2)).toEqual(HOSTILE.slice(0, 2))
    expect(texts(feed, 'feed > title')).toEqual([HOSTILE[0]])
    expect(feed.querySelector('script, b')).toBeNull()
  })

  it('fails when the API fails', async () => {
    const broken = { ...inputOver([]), fetchApi: async () => ({ status: 503, json: async () => ({}) }) }
    await expect(textAt('/feed.xml', broken)).rejects.toThrow('503')
    await expect(textAt('/sitemap.xml', broken)).rejects.toThrow('503')
  })
})

describe('the sitemap', () => {
  it('lists every page once, with its last change', async () => {
    const posts = Array.from({ length: 230 }, (_, n) => aPost(n))
    const input = inputOver(posts)
    const map = await xmlAt('/sitemap.xml', input)
    const found = texts(map, 'url > loc')
    expect(new Set(found).size).toBe(found.length)
    expect(found.slice(0, 7)).toEqual(
      ['/', '/blogs', '/reviews', '/contact', '/faq', '/privacy', '/terms'].map((path) => PUBLIC_URL + path),
    )
    for (const { slug } of posts) expect(found).toContain(`${PUBLIC_URL}/blog/${slug}`)
    expect(found).toHaveLength(7 + 5 + 230)
    expect(found.join()).not.toMatch(/dashboard|login|invite|unauthorized/)
    expect(input.asked).toHaveLength(3)
    const changed = map.querySelector('url:last-child > lastmod')?.textContent
    expect(changed).toBe(posts.at(-1)?.updatedAt)
  })

  it('lists an article, not the post with the same slug', async () => {
    const map = await xmlAt('/sitemap.xml', inputOver([{ ...aPost(1), slug: 'title-of-the-blog' }]))
    const found = texts(map, 'url > loc').filter((loc) => loc.endsWith('/title-of-the-blog'))
    expect(found).toHaveLength(1)
  })
})

it('robots.txt excludes the admin area and names the sitemap', async () => {
  expect(await textOf('/robots.txt', inputOver([]))).toBe(
    'User-agent: *\nDisallow: /dashboard\nDisallow: /login\nDisallow: /invite\n\nSitemap: https://chat.example/sitemap.xml\n',
  )
})

it('the manifest has the name of the business and icons in the required sizes', async () => {
  const manifest = JSON.parse(await textOf('/manifest.webmanifest', inputOver([], 'Ex"am')))
  expect(manifest).toMatchObject({ name: 'Ex"am', start_url: '/' })
  const icons: { sizes: string; purpose?: string }[] = manifest.icons
  expect(icons.map(({ sizes, purpose }) => `${sizes} ${purpose ?? ''}`.trim())).toEqual([
    'any',
    '192x192 any',
    '512x512 any',
    '512x512 maskable',
  ])
})

it('the dashboard has a manifest of its own, which can be installed', async () => {
  const manifest = JSON.parse(await textOf('/dashboard.webmanifest', inputOver([], 'Ex"am')))
  expect(manifest).toMatchObject({
    name: 'Ex"am dashboard',
    id: '/dashboard',
    start_url: '/dashboard/chats',
    scope: '/',
    display: 'standalone',
  })
  expect(manifest.icons).toContainEqual(expect.objectContaining({ sizes: '512x512', purpose: 'maskable' }))
})

it('no other path is a document', async () => {
  expect(await textAt('/feed', inputOver([]))).toBeNull()
  expect(await textAt('/constructor', inputOver([]))).toBeNull()
})
