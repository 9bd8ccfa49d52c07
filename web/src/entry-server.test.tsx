// @vitest-environment node
import type { RenderInput } from '@proctorpass/shared/ssr'
import { matchRoutes } from 'react-router'
import { describe, expect, it } from 'vitest'
import { missingPostKey, notFoundKey, pageKey, postSlug, render } from './entry-server.tsx'
import { routes } from './routes.tsx'
import { testConfig, testLanguages } from './testing/page-state.ts'
import { sampleTexts } from './testing/sample-texts.ts'

const TEMPLATE = '<head><!--page-head--></head><div id="root"><!--page-body--></div><!--page-state-->'
const PUBLIC_URL = 'https://chat.example'

const HOURS = { timeZone: 'Europe/Berlin', spans: [{ day: 1, from: '09:00', to: '17:00' }], closed: [] }

/** The API of an empty site. */
const fetchApi: RenderInput['fetchApi'] = async (path) => {
  if (/^\/blogs\/(one|preview)\//.test(path)) return { status: 404, json: async () => ({}) }
  const list = path.startsWith('/reviews') ? { reviews: [] } : { blogs: [] }
  return { status: 200, json: async () => ({ ...list, count: 0, message: 'Nothing yet.' }) }
}

async function page(path: string, config: Partial<RenderInput['config']> = {}, template = TEMPLATE) {
  const result = await render(
    {
      url: PUBLIC_URL + path,
      publicUrl: PUBLIC_URL,
      apiPrefix: '/api',
      languages: testLanguages,
      hours: HOURS,
      config: { ...testConfig, ...config },
      fetchApi,
      texts: sampleTexts(config.brand),
    },
    template,
  )
  if (result.kind !== 'page') throw new Error('not a page')
  return result
}

function stateOf(html: string) {
  return JSON.parse(/<script type="application\/json" id="page-state">(.*?)<\/script>/s.exec(html)?.[1] ?? '')
}

describe('the opening hours', () => {
  it('are in the footer of every public page, and in its state', async () => {
    for (const path of ['/', '/faq', notFoundKey]) {
      const { html } = await page(path)
      expect(/<footer.*<\/footer>/s.exec(html)?.[0]).toContain('Monday, 9 AM to 5 PM Central European Time')
      expect(stateOf(html)).toMatchObject({ hours: { hours: HOURS } })
    }
  })
})

describe('the preview of a post', () => {
  it('is private, and has neither an address for search engines nor a script that runs', async () => {
    for (const path of ['/blog/preview/0a0a', '/blog/preview/x', '/blog/%70review/0a0a']) {
      const { status, html, isPrivate } = await page(path)
      expect([status, isPrivate]).toEqual([404, true])
      expect(html).toContain('<meta name="robots" content="noindex" />')
    }
    expect((await page('/blogs')).isPrivate).toBe(false)
    expect(postSlug(`${PUBLIC_URL}/blog/preview/${'0a'.repeat(32)}`)).toBeNull()
  })
})

describe('the key of unknown addresses', () => {
  const unknown = [
    '/nothing',
    '/nothing?x=1',
    '/blog/a/b',
    '/blog',
    '/%E0%A4%FF',
    '/a'.repeat(500),
    '/contact/x',
    '/not-found',
    '/__proto__',
    '//evil.example/x',
  ]

  it('is the same for all of them, and the page does not contain the address', async () => {
    expect(unknown.map((path) => pageKey(PUBLIC_URL + path))).toEqual(unknown.map(() => notFoundKey))
    const { status, html } = await page(notFoundKey)
    expect(status).toBe(404)
    expect(html).toContain('Page not found')
    for (const path of unknown.slice(0, 4)) expect((await page(path)).html).toBe(html)
  })

  it('is the key of exactly those addresses that the router does not match', () => {
    for (const path of [
      ...unknown.filter((path) => !path.includes('%FF')),
      '/blog/x',
      '/blog/x%2Fy',
      '/%62log/x',
      '//faq',
      '/blog//x',
      '/login',
      '/invite',
      '/c',
      '/c/unsubscribe',
    ]) {
      const { pathname } = new URL(PUBLIC_URL + path)
      const isUnknown = pageKey(PUBLIC_URL + path) === notFoundKey
      expect(isUnknown, path).toBe(matchRoutes(routes, pathname)?.at(-1)?.route.id === 'not-found')
    }
  })

  it('is not the key of a page, a document, the dashboard or a redirect', () => {
    const known = [
      '/',
      '/faq',
      '/blogs',
      '/blog/a-post',
      '/login',
      '/invite',
      '/c',
      '/c/unsubscribe',
      '/dashboard/x',
      '/sitemap.xml',
      '/robots.txt',
    ]
    for (const path of [...known, '/%66aq', '/%46aq', '/blog/%41%2Fb', '/Nothing', '/nothing/']) {
      expect(pageKey(PUBLIC_URL + path), path).not.toBe(notFoundKey)
    }
  })
})

describe('the page of a post that does not exist', () => {
  it('shows nothing of its address', async () => {
    const { status, html } = await page(missingPostKey)
    expect(status).toBe(404)
    expect(html).toContain('Page not found')
    expect(html).toContain('noindex')
    expect(html).not.toContain('canonical')
    for (const path of ['/blog/no-such-post', '/blog/x%2Fy', '/blog/%3Cscript%3E?x=1']) {
      expect((await page(path)).html).toBe(html)
    }
  })

  it('is for the slugs of posts only', () => {
    const slugOf = (path: string) => postSlug(PUBLIC_URL + path)
    expect(['/blog/a-post', '/blog/%62', '/blog/x%2Fy', missingPostKey].map(slugOf)).toEqual([
      'a-post',
      'b',
      'x/y',
      '404',
    ])
    for (const path of [
      '/',
      '/faq',
      '/blogs',
      '/blog',
      '/blog/a/b',
      '/blog/A',
      '/blog/x/',
      '/dashboard/x',
      '/rss.xml',
      '/blog/how-to-cheat-on-proctoru',
      '/blog/%ff',
      notFoundKey,
    ]) {
      expect(slugOf(path), path).toBeNull()
    }
  })
})

describe('render', () => {
  it('preloads the files of a lazy page, and no others', async () => {
    const template = `${TEMPLATE}<!--page-code {"article":["/assets/a.js","/assets/p.js"],"faq":["/assets/f.js"]}-->`
    const preloads = async (path: string) =>
      (await page(path, {}, template)).html.match(
        /<link rel="modulepreload" fetchpriority="low" href="[^"]*"/g,
      )
    expect(await preloads('/faq')).toEqual([
      '<link rel="modulepreload" fetchpriority="low" href="/assets/f.js"',
    ])
    expect(await preloads('/blog/how-to-cheat-on-proctoru')).toEqual([
      '<link rel="modulepreload" fetchpriority="low" href="/assets/a.js"',
      '<link rel="modulepreload" fetchpriority="low" href="/assets/p.js"',
    ])
    expect(await preloads('/contact')).toBeNull()
  })

  it('renders the whole home page', async () => {
    const { status, html } = await page('/')
    expect(status).toBe(200)
    expect(html).toMatch(/<h1>(<[^>]*>)*Go into your proctored exam.*prepared\./)
    expect(html).toContain('mailto:support@proctorpass.example')
    expect(html.match(/>Live Chat<\/button>/g)).toHaveLength(5)
    expect(html).toContain(`© <span>${new Date().getFullYear()}</span>`)
    expect(html).toContain('<title>ProctorPass: get ready for your proctored exam</title>')
    expect(html).toContain('<meta name="description" content="Preparation')
    expect(html).toContain('<link rel="canonical" href="https://chat.example/" />')
    expect(html).not.toContain('noindex')
  })

  it('puts no inline script, style or handler into a page', async () => {
    for (const path of ['/', '/nothing', '/login', '/invite', '/c', '/c/unsubscribe', '/unauthorized']) {
      const { html } = await page(path)
      const scripts = html
        .match(/<script[^>]*>/g)
        ?.filter((tag) => tag !== '<script type="application/ld+json">')
      expect(scripts).toEqual(['<script type="application/json" id="page-state">'])
      expect(html).not.toMatch(/ style=|<style| on[a-z]+=/)
    }
  })

  it('writes the page state', async () => {
    expect(stateOf((await page('/contact')).html)).toEqual({
      config: testConfig,
      apiPrefix: '/api',
      languages: testLanguages,
      hours: { lines: ['Monday, 9 AM to 5 PM Central European Time'], hours: HOURS },
      hydration: {
        // The page shows the words.
        loaderData: { contact: { text: { lang: 'en', dir: 'ltr', languages: [], text: {} } } },
        ...{ actionData: null, errors: null },
      },
    })
  })

  it('escapes hostile text in the state and the head', async () => {
    const brand = `</script><script>alert(1)</script><!-- " & ' $& \u2028\u2029`
    const { html } = await page('/', { brand })
    expect(html.match(/<script/g)).toHaveLength(2)
    for (const [script] of html.matchAll(/<script.*?<\/script>/gs))
      expect(script).not.toMatch(/[\u2028\u2029]/)
    expect(stateOf(html).config.brand).toBe(brand)
    expect(html).toContain(
      "<title>&lt;/script&gt;&lt;script&gt;alert(1)&lt;/script&gt;&lt;!-- &quot; &amp; ' $&amp; ",
    )
  })

  it.each(['/nothing', '/blog', '//evil.example'])('answers %s with the not-found page', async (path) => {
    const { status, html } = await page(path)
    expect(status).toBe(404)
    expect(html).toContain('Page not found')
    expect(html).toContain('<meta name="robots" content="noindex" />')
    expect(html).not.toContain('canonical')
  })

  it.each([
    ['/login', 'Admin area'],
    ['/invite', 'Invitation'],
    ['/c', 'Your conversation'],
    ['/c/unsubscribe', 'Unsubscribe'],
    ['/dashboard', 'Dashboard'],
    ['/dashboard/messages/abc', 'Dashboard'],
    ['/Dashboard/Chats/', 'Dashboard'],
  ])('leaves %s to the browser', async (path, title) => {
    const { status, html } = await page(path)
    expect(status).toBe(200)
    // Without scripts only a note is shown.
    expect(html).toMatch(/<div id="root"><main><noscript>.*needs JavaScript.*<\/noscript><\/main><\/div>/)
    // Visitors come here too, with the links of their mails.
    expect(html).toMatch(/<noscript>.*<a href="\/contact">contact form<\/a>/)
    expect(html).toContain(`<title>${title} · ProctorPass</title>`)
    expect(html).toContain('<meta name="robots" content="noindex" />')
    expect(stateOf(html)).toMatchObject({ apiPrefix: '/api', hydration: null })
  })

  it('makes the page for the unauthorized noindex', async () => {
    const { status, html } = await page('/unauthorized')
    expect(status).toBe(200)
    expect(html).toContain('You do not have access to the requested page.')
    expect(html).toContain('noindex')
  })
})

describe('pageKey', () => {
  it('is the path without its query, and one for the whole dashboard', () => {
    expect(pageKey(`${PUBLIC_URL}/unauthorized?utm=1`)).toBe('/unauthorized')
    expect(pageKey(`${PUBLIC_URL}/dashboard/chats`)).toBe(pageKey(`${PUBLIC_URL}/dashboard/messages/x`))
  })
})
