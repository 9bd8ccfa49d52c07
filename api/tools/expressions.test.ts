import { expect, it } from 'vitest'
import { expressionsIn, slowness } from './expressions.ts'

it.each([
  ['exponential backtracking', /^(a+)+$/],
  ['cubic backtracking', /^rgb\(\s*\d(?:\s*[, ]\s*\d){2,3}\s*\)$/],
  ['repetitions that share characters', /^\s*(\d*\.?\d+)(?:px)?\s*$/],
  ['a search that starts anew at each character', /\s*!important\s*$/i],
  ['a search that starts anew at each bracket', /<[a-z][^>]*>/gi],
])('finds %s', (_title, { source, flags }) => {
  expect(slowness({ source, flags })).toMatch(/^isn't linear/)
})

it.each([/^[a-z]+(?:-[a-z]+)*$/, /<[a-z][^<>]*>/gi, /\s+/g])('accepts %s', ({ source, flags }) => {
  expect(slowness({ source, flags })).toBeNull()
})

it('finds every expression in a source', () => {
  const { expressions, problems } = expressionsIn(
    'a.tsx',
    [
      "const a = <p>{text.replace(/a+/g, '')}</p>",
      "Type.String({ pattern: '^b$' })",
      'new RegExp(SLUG_PATTERN)',
      'new RegExp(given)',
      "RegExp('a' + b)",
    ].join('\n'),
  )
  expect(expressions).toEqual([
    { source: 'a+', flags: 'g', place: 'a.tsx:1' },
    { source: '^b$', flags: 'u', place: 'a.tsx:2' },
  ])
  expect(problems).toEqual([expect.stringMatching(/^a\.tsx:4: /), expect.stringMatching(/^a\.tsx:5: /)])
})
