import { expect, it } from 'vitest'
import { isPathPattern, matchesPath } from './card-path.ts'

it.each([
  ['/faq', ['/faq', '/faq/'], ['/', '/faqs', '/x/faq', '/faq/x']],
  ['/faq/', ['/faq', '/faq/'], ['/faqs']],
  ['/', ['/'], ['/faq']],
  ['*', ['/', '/faq', '/blogs/a-b'], []],
  ['/*', ['/', '/faq'], []],
  ['/blogs/*', ['/blogs/a', '/blogs/a/b'], ['/blogs', '/blogs/', '/x/blogs/a']],
  ['/blogs*', ['/blogs', '/blogs/', '/blogs/a', '/blogs-x'], ['/blog']],
  ['*exam*', ['/exam', '/blogs/my-exam-day'], ['/faq']],
  ['/a*b*c', ['/abc', '/a1b2c', '/abcbc'], ['/ac', '/ab', '/acb']],
  ['/a*a', ['/aa', '/a/a'], ['/a']],
  // Nothing but `*` has a meaning.
  ['/a.c(', ['/a.c('], ['/abc(']],
])('%s matches the right pages', (pattern, pages, others) => {
  expect(pages.filter((page) => matchesPath(pattern, page))).toEqual(pages)
  expect(others.filter((page) => matchesPath(pattern, page))).toEqual([])
})

it('takes no time that grows with its stars', () => {
  expect(matchesPath(`/${'*a'.repeat(149)}b`, `/${'a'.repeat(2_000)}`)).toBe(false)
})

it.each(['', 'faq', ' /faq', '/faq?x', '/faq#x', '/a b', '/a\\b', '/é', 'https://a.example/'])(
  '%j is no pattern',
  (text) => expect(isPathPattern(text)).toBe(false),
)

it.each(['*', '/', '/faq', '*/exam', '/%E5%8D%9A*'])('%j is a pattern', (text) =>
  expect(isPathPattern(text)).toBe(true),
)
