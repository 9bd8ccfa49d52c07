import { get as httpGet } from 'node:http'
import { ARTICLE, expect, POST, test } from './site.ts'

/** Sends the path unchanged: `fetch` would normalize it. */
function get(
  origin: string,
  path: string,
): Promise<{ status: number; location: string; type: string; body: string }> {
  const { hostname, port } = new URL(origin)
  return new Promise((resolve, reject) => {
    httpGet({ hostname, port, path }, (answer) => {
      let body = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        body += chunk
      })
      answer.on('end', () =>
        resolve({
          status: answer.statusCode ?? 0,
          location: answer.headers.location ?? '',
          type: answer.headers['content-type'] ?? '',
          body,
        }),
      )
    }).on('error', reject)
  })
}

test('other spellings of an address redirect permanently', async ({ site }) => {
  for (const [path, location] of [
    ['/FAQ', '/faq'],
    ['/faq/', '/faq'],
    ['/Blogs/?page=2', '/blogs?page=2'],
    [`${POST.toUpperCase()}/`, POST],
    [`${ARTICLE}//`, ARTICLE],
    ['/No-Such-Page/', '/no-such-page'],
  ] as const) {
    expect(await get(site.origin, path), path).toMatchObject({ status: 308, location })
  }
})

test('no address redirects to another site', async ({ site }) => {
  for (const path of [
    '//evil.example/',
    '//evil.example',
    '/\\evil.example/',
    '/%5cevil.example/',
    '///evil.example//A',
  ]) {
    const { status, location } = await get(site.origin, path)
    if (location) expect(new URL(location, site.origin).origin, path).toBe(site.origin)
    else expect([400, 404], path).toContain(status)
  }
})

test('an address that does not exist answers 404 or 400 with the not-found page', async ({ site }) => {
  for (const path of [
    '/no-such-page',
    '/blog',
    '/blog/no-such-post',
    '/blog/a-quiet-room-in-a-loud-house/more',
    ...['0', '-1', '1.5', 'abc', '999', '1e3', '01', '%31%00', '9'.repeat(40)].map(
      (page) => `/blogs?page=${page}`,
    ),
    '/reviews?page=99',
    '/blog/__proto__',
    '/constructor',
    '/blog/%00',
    '/blog/%e0%a4%a',
    '/%',
    '/blog/a%2fb',
    '/blog/..%2f..%2fetc%2fpasswd',
    '/blog/%2e%2e/%2e%2e/etc/passwd',
    '/blog/..\\..\\etc\\passwd',
    '/blog/%3cscript%3ealert(1)%3c%2fscript%3e',
    "/blog/'%22--",
    '/blog/{"$gt":""}'.replaceAll('"', '%22'),
    `/blog/${'a-'.repeat(700)}a`,
    `/${'a/'.repeat(900)}`.slice(0, -1),
  ]) {
    const { status, type, body } = await get(site.origin, path)
    expect([400, 404], path).toContain(status)
    expect(type, path).toMatch(/^(text\/html|application\/json)/)
    if (type.startsWith('text/html')) {
      expect(body, path).toContain('Page not found')
      expect(body, path).not.toContain('<script>alert')
    } else {
      expect(JSON.parse(body), path).toMatchObject({ code: expect.any(String), message: expect.any(String) })
    }
  }
})

test('the first page of a list has one canonical address', async ({ site }) => {
  const { status, body } = await get(site.origin, '/blogs?page=1&utm_source=x')
  expect(status).toBe(200)
  expect(body).toContain(`<link rel="canonical" href="${site.origin}/blogs" />`)
})
