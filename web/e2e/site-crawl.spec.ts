import type { Page } from '@playwright/test'
import { ARTICLES, expect, POST, test } from './site.ts'

/** What the tests check of a served page, as parsed by a browser. */
interface Facts {
  title: string
  h1s: number
  ids: string[]
  links: string[]
  images: { src: string; sized: boolean; described: boolean }[]
  /** Icons, styles, manifest, feed. */
  resources: string[]
  meta: Record<string, string>
  canonical: string[]
  feeds: string[]
  json: string[]
}

interface Visited {
  /** Path and query. */
  at: string
  status: number
  facts: Facts
}

const IMAGE = /^(\x89PNG|\xff\xd8\xff|RIFF....WEBP)/s

test('a crawl from the home page finds no broken link and complete metadata on every page', async ({
  page,
  site,
}) => {
  const visited = await crawl(page, site.origin)
  const at = new Map(visited.map((each) => [each.at, each]))
  const problems: string[] = []
  const complain = (where: string, what: string) => problems.push(`${where}: ${what}`)

  const indexable = visited.filter(({ facts }) => facts.meta.robots !== 'noindex')
  for (const path of ['/', '/blogs', '/blogs?page=2', '/reviews', '/contact', '/faq', POST, ...ARTICLES]) {
    if (!indexable.some((each) => each.at === path)) complain(path, 'cannot be reached from the home page')
  }
  for (const page of visited) {
    if (page.status !== 200) complain(page.at, `is linked to and answers ${page.status}`)
    for (const link of page.facts.links) {
      if (/^(mailto|https?):/.test(link) && !link.startsWith(site.origin)) continue
      const url = new URL(link, site.origin + page.at)
      const path = url.pathname + url.search
      if (/[A-Z]|.\/$/.test(url.pathname)) complain(page.at, `links to ${link}, which is not canonical`)
      const id = decodeURIComponent(url.hash.slice(1))
      if (id && !at.get(path)?.facts.ids.includes(id)) complain(page.at, `links to ${link}: no such place`)
    }
    if (page.facts.h1s !== 1) complain(page.at, `has ${page.facts.h1s} h1`)
    for (const { src, sized, described } of page.facts.images) {
      if (!sized) complain(page.at, `gives no size for ${src}`)
      if (!described) complain(page.at, `has no alt for ${src}`)
    }
  }
  for (const { at, facts } of indexable) {
    const { title, meta } = facts
    if (title.length === 0 || title.length > 65) complain(at, `title of ${title.length} characters`)
    const description = meta.description ?? ''
    if (description.length < 50 || description.length > 165)
      complain(at, `description: ${description.length}`)
    if (facts.canonical.join() !== site.origin + at) complain(at, `canonical ${facts.canonical.join()}`)
    if (meta['og:url'] !== site.origin + at) complain(at, `og:url ${meta['og:url']}`)
    if (meta['og:title'] !== title) complain(at, `og:title ${meta['og:title']}`)
    if (meta['twitter:card'] !== 'summary_large_image') complain(at, 'has no card')
    if (/^\/blogs?\b/.test(at) && !facts.feeds.includes('/feed.xml'))
      complain(at, 'does not lead to the feed')
    for (const problem of problemsOfJson(facts.json, at)) complain(at, problem)
  }
  for (const [what, of] of [
    ['title', ({ title }: Facts) => title],
    ['description', ({ meta }: Facts) => meta.description ?? ''],
  ] as const) {
    const seen = new Map<string, string>()
    for (const { at, facts } of indexable) {
      const other = seen.get(of(facts))
      if (other) complain(at, `has the ${what} of ${other}`)
      seen.set(of(facts), at)
    }
  }

  const images = new Set(visited.flatMap(({ facts }) => facts.images.map(({ src }) => src)))
  const cards = new Set(indexable.map(({ facts }) => facts.meta['og:image'] ?? 'none'))
  const resources = new Set(visited.flatMap(({ facts }) => facts.resources))
  for (const path of [...images, ...resources]) {
    const answer = await fetch(new URL(path, site.origin))
    await answer.arrayBuffer()
    if (answer.status !== 200) complain(path, `answers ${answer.status}`)
  }
  for (const card of cards) {
    if (!card.startsWith(`${site.origin}/`)) complain(card, 'is not an absolute address of this site')
    const answer = await fetch(card)
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (answer.status !== 200 || !IMAGE.test(bytes.toString('latin1'))) complain(card, 'is not an image')
  }
  expect(problems).toEqual([])

  const { urls } = await sitemap(page, site.origin)
  const listed = indexable.filter(({ at }) => !at.includes('?')).map(({ at }) => site.origin + at)
  expect(urls.toSorted()).toEqual(listed.toSorted())
})

test('the sitemap has dates and is listed in robots.txt, which excludes the admin area', async ({
  page,
  site,
  request,
}) => {
  const { urls, dates } = await sitemap(page, site.origin)
  expect(urls).toContain(site.origin + POST)
  expect(dates.length).toBeGreaterThan(20)
  for (const date of dates) expect(Date.parse(date), date).not.toBeNaN()
  const robots = await (await request.get('/robots.txt')).text()
  expect(robots).toContain(`Sitemap: ${site.origin}/sitemap.xml`)
  expect(robots).toMatch(/^Disallow: \/dashboard$/m)
})

test('the feed is valid XML with the ten newest posts', async ({ page, site, request }) => {
  const answer = await request.get('/feed.xml')
  expect(answer.headers()['content-type']).toContain('application/atom+xml')
  const entries = await page.evaluate(
    (xml) => {
      const feed = new DOMParser().parseFromString(xml, 'application/xml')
      const error = feed.querySelector('parsererror')
      if (error) throw new Error(error.textContent ?? 'no XML')
      const text = (of: Element, name: string) => of.getElementsByTagName(name)[0]?.textContent ?? ''
      return Array.from(feed.getElementsByTagName('entry'), (entry) => ({
        title: text(entry, 'title'),
        id: text(entry, 'id'),
        href: entry.getElementsByTagName('link')[0]?.getAttribute('href') ?? '',
        published: text(entry, 'published'),
        updated: text(entry, 'updated'),
        summary: text(entry, 'summary'),
      }))
    },
    await answer.text(),
  )
  expect(entries).toHaveLength(10)
  expect(new Set(entries.map(({ id }) => id)).size).toBe(10)
  const published = entries.map((entry) => entry.published)
  expect(published).toEqual(published.toSorted().reverse())
  for (const { title, href, updated, summary } of entries) {
    expect(title).not.toBe('')
    expect(summary).not.toBe('')
    expect(Date.parse(updated)).not.toBeNaN()
    expect(href.startsWith(`${site.origin}/blog/`)).toBe(true)
    expect((await request.get(href)).status(), href).toBe(200)
  }
})

for (const path of ['/login', '/invite', '/dashboard', '/unauthorized', '/no-such-page', '/blogs?page=999']) {
  test(`${path} is not indexable`, async ({ request }) => {
    const html = await (await request.get(path)).text()
    expect(html).toContain('<meta name="robots" content="noindex" />')
    expect(html).not.toContain('rel="canonical"')
  })
}

/** Every linked page, in the order of discovery. */
async function crawl(page: Page, origin: string): Promise<Visited[]> {
  const visited: Visited[] = []
  const found = new Set(['/'])
  for (const at of found) {
    const answer = await fetch(origin + at, { redirect: 'manual' })
    const facts = await page.evaluate(read, await answer.text())
    visited.push({ at, status: answer.status, facts })
    for (const link of facts.links) {
      const url = new URL(link, origin + at)
      if (url.origin === origin) found.add(url.pathname + url.search)
    }
  }
  return visited
}

/** Runs in the browser. */
function read(html: string): Facts {
  const page = new DOMParser().parseFromString(html, 'text/html')
  const all = <T extends Element>(selector: string) => Array.from(page.querySelectorAll<T>(selector))
  const attributes = (selector: string, name: string) =>
    all(selector).map((element) => element.getAttribute(name) ?? '')
  return {
    title: page.title,
    h1s: all('h1').length,
    ids: attributes('[id]', 'id'),
    links: attributes('a[href]', 'href'),
    images: all('img').map((image) => ({
      src: image.getAttribute('src') ?? '',
      sized: image.hasAttribute('width') && image.hasAttribute('height'),
      described: image.hasAttribute('alt'),
    })),
    resources: attributes('link[href]:not([rel=canonical])', 'href').concat(attributes('script[src]', 'src')),
    meta: Object.fromEntries(
      all('meta[content]').map((meta) => [
        meta.getAttribute('name') ?? meta.getAttribute('property') ?? '',
        meta.getAttribute('content') ?? '',
      ]),
    ),
    canonical: attributes('link[rel=canonical]', 'href'),
    feeds: attributes('link[rel=alternate][type="application/atom+xml"]', 'href'),
    json: all('script[type="application/ld+json"]').map((script) => script.textContent ?? ''),
  }
}

async function sitemap(page: Page, origin: string): Promise<{ urls: string[]; dates: string[] }> {
  const xml = await (await fetch(`${origin}/sitemap.xml`)).text()
  return page.evaluate((text) => {
    const document = new DOMParser().parseFromString(text, 'application/xml')
    const error = document.querySelector('parsererror')
    if (error) throw new Error(error.textContent ?? 'no XML')
    const texts = (name: string) =>
      Array.from(document.getElementsByTagName(name), (element) => element.textContent ?? '')
    return { urls: texts('loc'), dates: texts('lastmod') }
  }, xml)
}

/** Relative addresses, invalid dates and missing entries. */
function problemsOfJson(texts: readonly string[], at: string): string[] {
  const problems: string[] = []
  const types: unknown[] = []
  for (const text of texts) {
    const things: Record<string, unknown>[] = JSON.parse(text)['@graph']
    for (const thing of things) {
      types.push(thing['@type'])
      for (const [key, value] of Object.entries(thing)) {
        const address = (value as { url?: unknown } | null)?.url ?? value
        if (/^(url|image|logo|item|mainEntityOfPage)$/.test(key) && !/^https?:\/\//.test(String(address))) {
          problems.push(`JSON-LD: ${key} is ${JSON.stringify(value)}`)
        }
        if (/^date/.test(key) && !/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(String(value))) {
          problems.push(`JSON-LD: ${key} is ${value}`)
        }
      }
      if (thing['@type'] === 'BlogPosting') {
        for (const key of ['headline', 'author', 'datePublished', 'dateModified', 'image']) {
          if (!thing[key]) problems.push(`JSON-LD: a post without ${key}`)
        }
      }
    }
  }
  const wanted = ['Organization', 'WebSite']
  if (at !== '/') wanted.push('BreadcrumbList')
  if (at.startsWith('/blog/')) wanted.push('BlogPosting')
  for (const type of wanted) if (!types.includes(type)) problems.push(`JSON-LD: no ${type}`)
  return problems
}
