import { expect, it } from 'vitest'
import { ownPath } from './own-path.ts'

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
