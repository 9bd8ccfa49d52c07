// @vitest-environment node
import type { FormState, RenderInput } from '@proctorpass/shared/ssr'
import { describe, expect, it, vi } from 'vitest'
import { render } from '../entry-server.tsx'
import { testConfig, testLanguages } from '../testing/page-state.ts'
import { sampleApi } from '../testing/sample-content.ts'
import { sampleTexts } from '../testing/sample-texts.ts'

const TEMPLATE = '<head><!--page-head--></head><div id="root"><!--page-body--></div><!--page-state-->'
const PUBLIC_URL = 'https://chat.example'

/** The served page without its state, so that matches are visible content. */
async function served(path: string, options: Partial<RenderInput> = {}) {
  const result = await render(
    {
      url: PUBLIC_URL + path,
      publicUrl: PUBLIC_URL,
      apiPrefix: '/api',
      languages: testLanguages,
      hours: null,
      config: testConfig,
      fetchApi: sampleApi({ posts: 18, reviews: 31 }).fetchApi,
      texts: sampleTexts(),
      ...options,
    },
    TEMPLATE,
  )
  if (result.kind !== 'page') throw new Error(`${path} is no page`)
  const [html = ''] = result.html.split('<script type="application/json"')
  return { status: result.status, html, text: html.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ') }
}

function count(html: string, what: RegExp): number {
  return html.match(what)?.length ?? 0
}

const down: Partial<RenderInput> = { fetchApi: async () => ({ status: 503, json: async () => ({}) }) }

describe('every page', () => {
  it.each([
    '/',
    '/blogs',
    '/blog/post-ab',
    '/reviews',
    '/contact',
    '/faq',
    '/privacy',
    '/terms',
    '/unauthorized',
  ])('%s has one h1, the whole navigation, the footer and two to five chat buttons', async (path) => {
    const { status, html } = await served(path)
    expect(status).toBe(200)
    expect(count(html, /<h1[ >]/g)).toBe(1)
    const nav = /<nav id="menu".*?<\/nav>/s.exec(html)?.[0] ?? ''
    expect([...nav.matchAll(/href="([^"]*)"[^>]*>([^<]*)/g)].map(([, href, text]) => [text, href])).toEqual([
      ['Home', '/'],
      ['Blog', '/blogs'],
      ['Contact', '/contact'],
      ['Reviews', '/reviews'],
      ['FAQ', '/faq'],
    ])
    expect(html).toContain('mailto:support@proctorpass.example')
    expect(count(html, />Live Chat<\/button>/g)).toBe(path === '/' ? 5 : path === '/contact' ? 3 : 2)
    expect(html).not.toMatch(/ style=|<style| on[a-z]+=/)
  })
})

it.each([
  ['/', ['', 'Drawing of post 1', 'Drawing of post 2', '']],
  ['/blogs', ['Drawing of post 1', 'Drawing of post 2', '', 'Drawing of post 4']],
  ['/blog/post-ac', ['Drawing of post 2', 'Drawing of post 1', '', 'Drawing of post 4']],
  ['/blog/can-proctoru-detect-phones', [expect.stringMatching(/^Line drawing/), 'Drawing of post 1']],
])('%s describes the image of each post, as far as it is described', async (path, descriptions) => {
  const { html } = await served(path)
  const images = [...html.matchAll(/<img [^>]*alt="([^"]*)"/g)].map(([, alt]) => alt)
  expect(images.slice(0, descriptions.length)).toEqual(descriptions)
})

describe('home', () => {
  it('has its links, the tagline, the three newest posts and the four newest reviews', async () => {
    const api = sampleApi({ posts: 18, reviews: 31 })
    const { html, text } = await served('/', api)
    expect(html).toMatch(/<a class="button[^"]*" href="\/contact"/)
    expect(html).toContain('href="#blogs"')
    expect(html).toContain('id="blogs"')
    expect(text).toContain('Read the rules. Test the room. Focus on the questions.')
    expect(html).toContain('href="/blogs"')
    expect(html).toContain('href="/reviews"')
    expect(count(html, /<article/g)).toBe(3)
    expect(text).toContain('Post 1 ')
    expect(count(html, /<figure class="review"/g)).toBe(4)
    expect(api.asked.sort()).toEqual(['/blogs?page=1&perPage=3', '/reviews?page=1&perPage=4'])
  })

  it('has a contact form that works without scripts', async () => {
    const { html } = await served('/')
    expect(html).toMatch(/<form[^>]* method="post"[^>]*>/)
    expect(html).toMatch(/<form[^>]* action="\/"[^>]*>/)
    for (const name of ['email', 'title', 'message', 'website']) expect(html).toContain(`name="${name}"`)
    expect(html).toContain('type="email"')
  })

  it('shows the rest when the lists cannot be read, with status 503', async () => {
    const { status, text } = await served('/', down)
    expect(status).toBe(503)
    expect(text).toContain('Go into your proctored exam')
    expect(text).toContain('Could not load blog try again!')
    expect(text).toContain('Could not load reviews try again!')
  })

  it("shows the server's message in place of an empty list", async () => {
    const { status, text } = await served('/', sampleApi())
    expect(status).toBe(200)
    expect(text).toContain('No blogs found!')
    expect(text).toContain('No reviews found!')
  })
})

describe.each([
  { path: '/blogs', items: /<article/g, first: 'Post 1 ', beyond: 'Post 16 ', of: 2, rest: 3 },
  { path: '/reviews', items: /<figure/g, first: 'Review 1 ', beyond: 'Review 16 ', of: 3, rest: 15 },
])('$path', ({ path, items, first, beyond, of, rest }) => {
  it('shows fifteen, and pagers above and below', async () => {
    const { html, text } = await served(path)
    expect(count(html, items)).toBe(15)
    expect(text).toContain(first)
    expect(text).not.toContain(beyond)
    expect(count(html, new RegExp(`Page <!-- -->1<!-- --> of <!-- -->${of}<`, 'g'))).toBe(2)
    expect(count(html, new RegExp(`href="${path}\\?page=2"`, 'g'))).toBe(4)
  })

  it('needs one API request', async () => {
    const api = sampleApi({ posts: 18, reviews: 31 })
    await served(`${path}?page=2`, api)
    expect(api.asked).toEqual([`${path}?page=2&perPage=15`])
  })

  it('continues on the next page', async () => {
    const { html, text } = await served(`${path}?page=2`)
    expect(count(html, items)).toBe(rest)
    expect(text).toContain(beyond)
    expect(text).not.toContain(first)
  })

  it.each(['0', '-1', 'abc', '1.5', '01', '', '9', '99999999999999999999', '1%00'])(
    'has no page "%s"',
    async (page) => {
      const { status, text } = await served(`${path}?page=${page}`)
      expect(status).toBe(404)
      expect(text).toContain('Page not found')
    },
  )

  it('shows the message in place of an empty list', async () => {
    const { status, html, text } = await served(path, sampleApi())
    expect(status).toBe(200)
    expect(text).toMatch(/No (blogs|reviews) found!/)
    expect(html).not.toContain('class="pager"')
  })

  it('offers a retry when the list cannot be read', async () => {
    const { status, text } = await served(path, down)
    expect(status).toBe(503)
    expect(text).toMatch(/Could not load (blog|reviews) try again! Try again/)
  })
})

describe('a post', () => {
  it('shows title, image and content, and related posts but not itself', async () => {
    const { html, text } = await served('/blog/post-ac')
    expect(html).toContain('<h1>Post 2</h1>')
    expect(html).toMatch(/<img[^>]*src="\/images\/posts\/ac\.webp"/)
    expect(html).toContain('<p>Content of post 2.</p>')
    const related = html.slice(html.indexOf('<aside'))
    expect(count(related, /<article/g)).toBe(6)
    expect(related).not.toContain('/blog/post-ac"')
    expect(text).toContain('Read more about Post 3')
  })

  it('shows the first 150 characters of a summary, then dots', async () => {
    const { html } = await served('/blog/post-ac')
    const summary = `Summary 1. ${'word '.repeat(40)}`.slice(0, 150).trimEnd()
    expect(html).toContain(`<p>${summary}…</p>`)
  })

  it('shows its own error when it cannot be read', async () => {
    const { status, html, text } = await served('/blog/post-ac', down)
    expect(status).toBe(503)
    expect(text).toContain('Could not load blog try again!')
    expect(count(html, /<h1/g)).toBe(1)
  })

  it.each(['/blog/no-such-post', '/blog/Post', '/blog/a%2Fb', '/blog/%3Cscript%3E', '/blog/a/b'])(
    'is not at %s',
    async (path) => {
      const result = await render(
        {
          url: PUBLIC_URL + path,
          publicUrl: PUBLIC_URL,
          apiPrefix: '/api',
          languages: testLanguages,
          hours: null,
          config: testConfig,
          fetchApi: sampleApi({ posts: 18 }).fetchApi,
          texts: sampleTexts(),
        },
        TEMPLATE,
      )
      if (result.kind === 'redirect') expect(path).toBe('/blog/Post')
      else expect(result).toMatchObject({ kind: 'page', status: 404 })
    },
  )
})

describe('a form that was sent without scripts', () => {
  const refused: FormState = {
    values: { email: 'ada', title: '', message: 'I typed <b>much</b>' },
    errors: [
      { field: 'email', message: 'Enter a valid email address' },
      { field: 'title', message: 'Title is required' },
    ],
    message: null,
  }

  it('keeps the typed values, with the errors beside their fields', async () => {
    const { html } = await served('/contact', { form: refused })
    expect(html).toContain('value="ada"')
    expect(html).toContain('I typed &lt;b&gt;much&lt;/b&gt;</textarea>')
    const title = /<input[^>]*name="title"[^>]*>/.exec(html)?.[0] ?? ''
    expect(title).toContain('aria-invalid="true"')
    const errorId = /aria-describedby="([^"]*)"/.exec(title)?.[1]
    expect(html).toContain(`id="${errorId}">Title is required</p>`)
    // The first wrong field gets the focus.
    expect(html.match(/<[^>]* autofocus=""[^>]*>/gi)?.map((tag) => /name="(\w+)"/.exec(tag)?.[1])).toEqual([
      'email',
    ])
  })

  it('shows the message of success beside an empty form', async () => {
    const { html } = await served('/reviews', {
      form: { values: {}, errors: [], message: 'Review sent successfully' },
    })
    expect(html).toMatch(/<p class="form-result" role="status"[^>]*>Review sent successfully<\/p>/)
  })

  it('shows errors without a field beside the form', async () => {
    const form = { ...refused, errors: [{ field: '', message: 'Too many messages.' }] }
    const { html } = await served('/contact', { form })
    expect(html).toMatch(
      /<p class="form-result" role="status" data-failed="true"[^>]*>Too many messages\.<\/p>/,
    )
  })
})

describe('a page that breaks', () => {
  it('answers 500 with the error screen, reports the error and reveals no details', async () => {
    const onError = vi.fn()
    const broken = new Error('no such column: secret')
    const { status, text } = await served('/blogs', { onError, fetchApi: () => Promise.reject(broken) })
    expect(status).toBe(500)
    expect(text).toContain('Unexpected Application Error! Internal Server Error')
    expect(text).not.toContain('secret')
    expect(onError).toHaveBeenCalledWith(broken)
  })

  it('does so also when rendering throws', async () => {
    const onError = vi.fn()
    const fetchApi = async () => ({ status: 200, json: async () => ({ blogs: 'not a list', count: 1 }) })
    const { status, text } = await served('/blogs', { onError, fetchApi })
    expect(status).toBe(500)
    expect(text).toContain('Unexpected Application Error! Internal Server Error')
    expect(onError).toHaveBeenCalledOnce()
  })
})

describe('the FAQ', () => {
  it('contains every answer, which opens without scripts', async () => {
    const { html, text } = await served('/faq')
    expect(count(html, /<details/g)).toBeGreaterThan(10)
    for (const fact of [
      '3 to 4 days',
      '10 to 14 days',
      'Bitcoin',
      '5 business days',
      '$2000-$5000',
      '$1500',
    ]) {
      expect(text).toContain(fact)
    }
  })
})
