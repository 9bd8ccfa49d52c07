// @vitest-environment jsdom

import type { RenderInput } from '@proctorpass/shared/ssr'
import { describe, expect, it } from 'vitest'
import { testConfig, testLanguages } from '../testing/page-state.ts'
import { sampleTexts } from '../testing/sample-texts.ts'
import { headTags } from './head.ts'
import type { PageHead } from './page-head.ts'

const PUBLIC_URL = 'https://chat.example'
const DESCRIPTION = 'Plain guides to online proctored exams, written for people who take their own.'

function headOf(head: PageHead, path = '/blog/x', config: Partial<RenderInput['config']> = {}) {
  const tags = headTags(
    {
      url: PUBLIC_URL + path,
      publicUrl: PUBLIC_URL,
      apiPrefix: '/api',
      languages: testLanguages,
      hours: null,
      config: { ...testConfig, ...config },
      fetchApi: () => Promise.reject(new Error('a head reads nothing')),
      texts: sampleTexts(),
    },
    head,
  )
  const { head: element } = new DOMParser().parseFromString(`<head>${tags}</head>`, 'text/html')
  return {
    element,
    title: element.querySelector('title')?.textContent ?? '',
    meta: (name: string) =>
      element.querySelector(`[name="${name}"], [property="${name}"]`)?.getAttribute('content') ?? null,
    canonical: element.querySelector('[rel="canonical"]')?.getAttribute('href') ?? null,
    graph: () =>
      JSON.parse(element.querySelector('[type="application/ld+json"]')?.textContent ?? '{}')['@graph'],
  }
}

const post: PageHead = {
  title: 'A quiet room',
  description: DESCRIPTION,
  image: '/images/posts/clock.svg',
  article: {
    headline: 'A quiet room',
    published: '2026-10-01T00:00:00.000Z',
    modified: '2026-10-02T00:00:00.000Z',
  },
  trail: [{ name: 'Blog', path: '/blogs' }],
}

describe('title and description', () => {
  it('fit the lengths of search engines, and end with whole words', () => {
    const { title, meta } = headOf({ title: 'word '.repeat(40), description: 'some words '.repeat(40) })
    expect(title).toMatch(/^(word )+word…$/)
    expect(title.length).toBeLessThanOrEqual(65)
    expect(meta('description')).toMatch(/ (some|words)…$/)
    expect(meta('description')?.length).toBeLessThanOrEqual(165)
  })

  it('extend a short summary to a sentence', () => {
    const description = headOf({ title: 'Ink', description: 'Bring two pens.' }).meta('description')
    expect(description).toBe('Ink. Bring two pens. From the ProctorPass blog about proctored exams.')
  })

  it('differ for each page of a list, as do the addresses', () => {
    const list = { title: 'Blog · {brand}', description: DESCRIPTION }
    const [first, second] = [1, 2].map((page) =>
      headOf({ ...list, page }, `/blogs?page=${page}&utm_source=x`),
    )
    expect([first?.title, first?.canonical]).toEqual(['Blog · ProctorPass', `${PUBLIC_URL}/blogs`])
    expect([second?.title, second?.canonical]).toEqual([
      'Page 2: Blog · ProctorPass',
      `${PUBLIC_URL}/blogs?page=2`,
    ])
    expect(second?.meta('description')).not.toBe(first?.meta('description'))
    expect(second?.meta('og:url')).toBe(second?.canonical)
  })
})

describe('the card', () => {
  it.each([
    [undefined, '/cards/home.png', '1200'],
    ['faq', '/cards/faq.png', '1200'],
    ['/images/posts/id-card.svg', '/cards/id-card.png', '1200'],
    ['/uploads/0a1b.webp', '/uploads/0a1b.webp', null],
    ['/uploads/0a1b.svg', '/cards/home.png', '1200'],
  ])('of the image %s is %s', (image, path, width) => {
    const { meta } = headOf({ ...post, image })
    expect(meta('og:image')).toBe(PUBLIC_URL + path)
    expect(meta('og:image:width')).toBe(width)
    expect(meta('twitter:card')).toBe('summary_large_image')
  })

  it.each(['javascript:alert(1)', 'data:image/png;base64,AAAA', 'http://['])(
    'is our own where the image is %s',
    (image) => {
      expect(headOf({ ...post, image }).meta('og:image')).toBe(`${PUBLIC_URL}/cards/home.png`)
    },
  )
})

describe('the description of the image', () => {
  const imageAlt = 'An alarm clock on a table'

  it('is that of the post, in link previews and in structured data', () => {
    const { meta, graph } = headOf({ ...post, imageAlt })
    expect([meta('og:image:alt'), meta('twitter:image:alt')]).toEqual([imageAlt, imageAlt])
    expect(graph()[2].image).toEqual({
      '@type': 'ImageObject',
      url: `${PUBLIC_URL}/cards/clock.png`,
      description: imageAlt,
    })
  })

  it.each([
    ['it is not described', { imageAlt: undefined }],
    ['it is decorative', { imageAlt: '' }],
    ['another image is shown in its place', { imageAlt, image: '/uploads/0a1b.svg' }],
  ])('is the title of the page when %s', (_case, image) => {
    const { meta, graph } = headOf({ ...post, ...image })
    expect([meta('og:image:alt'), meta('twitter:image:alt')]).toEqual([post.title, post.title])
    expect(graph()[2].image).toEqual(expect.any(String))
  })
})

describe('structured data', () => {
  it('contains author, dates and breadcrumbs', () => {
    const graph = headOf(post).graph()
    expect(graph.map((node: Record<string, unknown>) => node['@type'])).toEqual([
      'Organization',
      'WebSite',
      'BlogPosting',
      'BreadcrumbList',
    ])
    expect(graph[2]).toMatchObject({
      headline: 'A quiet room',
      datePublished: '2026-10-01T00:00:00.000Z',
      dateModified: '2026-10-02T00:00:00.000Z',
      image: `${PUBLIC_URL}/cards/clock.png`,
      author: { '@id': `${PUBLIC_URL}/#organization` },
      mainEntityOfPage: `${PUBLIC_URL}/blog/x`,
    })
    expect(graph[3].itemListElement).toEqual([
      { '@type': 'ListItem', position: 1, name: 'Home', item: `${PUBLIC_URL}/` },
      { '@type': 'ListItem', position: 2, name: 'Blog', item: `${PUBLIC_URL}/blogs` },
      { '@type': 'ListItem', position: 3, name: 'A quiet room', item: `${PUBLIC_URL}/blog/x` },
    ])
  })

  it('names the person who wrote a post, unless the business is named in their place', () => {
    const authorOf = (person: string) =>
      headOf({ ...post, article: { headline: 'H', published: '', modified: '', person } }).graph()[2].author
    expect(authorOf('Dana')).toEqual({ '@type': 'Person', name: 'Dana' })
    expect(authorOf(testConfig.brand)).toEqual({ '@id': `${PUBLIC_URL}/#organization` })
  })

  it('contains no ratings', () => {
    expect(JSON.stringify(headOf(post).graph())).not.toMatch(/rating|review|FAQPage/i)
  })
})

it('hostile text is escaped in tags and data', () => {
  const hostile = `</title></script><script>alert(1)</script><!-- " ' & \u2028`
  const { element, title, meta, graph } = headOf(
    {
      title: hostile,
      description: hostile + DESCRIPTION,
      imageAlt: hostile,
      article: { headline: hostile, published: hostile, modified: hostile },
      trail: [],
    },
    '/blog/x',
    { brand: hostile },
  )
  expect(title).toBe(hostile)
  expect([meta('og:image:alt'), meta('twitter:image:alt')]).toEqual([hostile, hostile])
  expect(meta('article:published_time')).toBe(hostile)
  expect(element.querySelectorAll('script')).toHaveLength(1)
  expect(graph()[2].headline).toBe(hostile)
})

it('a page that is not indexable has only its title and icons', () => {
  const { element, canonical, meta } = headOf({ title: 'Admin area', noindex: true })
  expect(meta('robots')).toBe('noindex')
  expect(canonical).toBeNull()
  expect(element.querySelectorAll('script, [property]')).toHaveLength(0)
})
