import { expect, it } from 'vitest'
import { contrast, iconColor } from '../icon-color.ts'
import { isOriginOf } from '../site-origins.ts'
import { DEFAULT_LOOK, originProblem, siteProblems } from './site.ts'

it('gives a new site a color that is seen on light and dark pages, and whose label can be read', () => {
  const { color } = DEFAULT_LOOK
  for (const page of ['#ffffff', '#16181d']) expect(contrast(color, page)).toBeGreaterThanOrEqual(3)
  expect(contrast(color, iconColor(color))).toBeGreaterThanOrEqual(4.5)
})

it.each([
  'https://example.com',
  'https://www.example.com:8443',
  'https://*.example.com',
  'https://*.shop.example.co.uk',
  'https://xn--bcher-kva.example',
  'https://a_b.example.com',
  'http://localhost',
  'http://localhost:3000',
  'http://127.0.0.1:8080',
  'http://[::1]:3000',
])('takes %s', (origin) => expect(originProblem(origin)).toBeNull())

it.each([
  ['', /is not an address/],
  ['example.com', /is not an address/],
  ['https://', /is not an address/],
  ['https://*', /characters/],
  ['https://*.com', /must name a domain/],
  ['https://*.*.example.com', /characters/],
  ['https://a.*.example.com', /characters/],
  ['https://*.example.com:8443', /no port/],
  ['https://*.example.com/', /is not an address|written as/],
  ['https://*.1.2.3.4', /not a number/],
  ['https://*.EXAMPLE.com', /written as https:\/\/\*\.example\.com/],
  ['http://*.example.com', /localhost/],
  ['http://example.com', /localhost/],
  ['http://localhost.example.com', /localhost/],
  ['https://EXAMPLE.com', /written as https:\/\/example\.com/],
  ['https://bücher.example', /written as https:\/\/xn--bcher-kva\.example/],
  ['https://example.com/', /written as https:\/\/example\.com/],
  ['https://example.com/path', /written as/],
  ['https://example.com?x', /written as/],
  ['https://example.com#x', /written as/],
  ['https://user:password@example.com', /written as/],
  ['https://example.com:443', /written as/],
  ['https://0x7f.1', /written as https:\/\/127\.0\.0\.1/],
  [' https://example.com', /written as/],
  ["https://a;script-src'.example", /characters/],
  ['https://a,b.example', /characters/],
  ['https://a..b', /characters|not an address/],
  ['ftp://example.com', /https/],
  ['javascript:alert(1)', /https/],
  ['null', /is not an address/],
])('refuses %j and names it', (origin, problem) => {
  const found = originProblem(origin)
  expect(found).toMatch(problem)
  expect(found).toContain(`"${origin}"`)
})

it('names the entry and duplicates', () => {
  expect(siteProblems({ origins: ['https://a.example', 'https://b.example/', 'https://a.example'] })).toEqual(
    [
      { field: 'origins/1', message: '"https://b.example/" must be written as https://b.example' },
      { field: 'origins/2', message: '"https://a.example" is listed twice' },
    ],
  )
})

it('knows the origins of a site, and no others', () => {
  const origins = ['https://example.com', 'https://*.shop.example', 'http://localhost:3000']
  for (const own of [
    'https://example.com',
    'https://a.shop.example',
    'https://a.b.shop.example',
    'http://localhost:3000',
  ]) {
    expect(isOriginOf(origins, own)).toBe(true)
  }
  for (const foreign of [
    'https://shop.example',
    'https://ashop.example',
    'http://a.shop.example',
    'https://a.shop.example:8443',
    'https://example.com.evil.example',
    'http://example.com',
    'http://localhost',
    'null',
    '',
    'https://a.shop.example/',
  ]) {
    expect([foreign, isOriginOf(origins, foreign)]).toEqual([foreign, false])
  }
})
