import { expect, it } from 'vitest'
import { typedSearch } from './search-query.ts'

it.each([
  ['refund', 'q=refund'],
  ['  refund   money ', 'q=refund+money'],
  ['refund from:visitor after:7d', 'q=refund&from=visitor&after=7d'],
  ['from:me', 'from=me'],
  ['label:"Two words" refund', 'q=refund&label=Two+words'],
  ['“exam tomorrow” HAS:file', 'q=%E2%80%9Cexam+tomorrow%E2%80%9D&has=file'],
  ['a from:me b from:visitor', 'q=a+b&from=visitor'],
  ['see https://a.example/after:7d', 'q=see+https%3A%2F%2Fa.example%2Fafter%3A7d'],
  ['from: visitor', 'q=from%3A+visitor'],
  ['other:word', 'q=other%3Aword'],
])('reads %j', (text, query) => {
  expect(String(typedSearch(text))).toBe(query)
})

it('keeps the present filters, unless others of their names are typed', () => {
  const present = new URLSearchParams({ q: 'old', from: 'me', label: 'VIP', page: '2' })
  expect(String(typedSearch('new from:visitor', present))).toBe('q=new&from=visitor&label=VIP')
  expect(String(typedSearch('', present))).toBe('from=me&label=VIP')
})
