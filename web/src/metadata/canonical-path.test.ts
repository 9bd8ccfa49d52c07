import { describe, expect, it } from 'vitest'
import { canonicalPath, ownPath } from './canonical-path.ts'

describe('the canonical path', () => {
  it.each([
    ['/', '/'],
    ['/faq', '/faq'],
    ['/FAQ/', '/faq'],
    ['/Blog/A-Quiet-Room///', '/blog/a-quiet-room'],
    // Percent-encoding stays.
    ['/%C3%89TUDE/', '/%C3%89tude'],
    ['/%2F%2Fevil/', '/%2F%2Fevil'],
    ['/%5Cevil/', '/%5Cevil'],
  ])('of %s is %s', (path, canonical) => {
    expect(canonicalPath(path)).toBe(canonical)
  })

  it.each(['//evil.example/', '//EVIL.example', '/\\evil/', '///'])(
    'never redirects to another site: %s',
    (path) => {
      expect(canonicalPath(path)).toMatch(path === '///' ? /^\/$/ : /.*/)
      const { host } = new URL(canonicalPath(path), 'https://chat.example')
      expect(canonicalPath(path) === path || host === 'chat.example').toBe(true)
    },
  )
})

it.each(['/', '/dashboard', '/dashboard/messages/abc?x=1#y', '/a//b', '/%2f%2fevil.example'])(
  'takes %s for an own path',
  (path) => {
    expect(ownPath(path)).toBe(path)
  },
)

it.each([
  '//evil.example',
  '/\\evil.example',
  '/\t/evil.example',
  '/\n//evil.example',
  '/.//evil.example',
  '\\/evil.example',
  'https://evil.example',
  'javascript:alert(1)',
  ' /dashboard',
  'dashboard',
  '',
  null,
  undefined,
  { pathname: '/' },
])('does not take %j for one', (value) => {
  expect(ownPath(value)).toBeNull()
})
