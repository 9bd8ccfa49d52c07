import { expect, it } from 'vitest'
import { lineProblem, textProblem } from './text-rules.ts'

it.each([
  '\u202egnp.exe',
  'a\u202db',
  '\u202aa',
  '\u2066a\u2069',
  'a\nb',
  'a\u2028b',
  'a\u0085b',
  'a\0b',
  '\ud800',
  'b\udc00a',
  'x'.repeat(81),
])('no name or title is %j', (text) => {
  expect(lineProblem(text, 80)).toEqual(expect.any(String))
})

it.each(['\u05e9\u05dc\u05d5\u05dd \u200e(x)', '👩\u200d👩\u200d👧', 'Zoë', '𝒳'.repeat(80)])(
  '%j is a name',
  (text) => {
    expect(lineProblem(text, 80)).toBeNull()
  },
)

it('a text may turn its direction, and breaks nothing', () => {
  expect(textProblem('\u202egnp.exe\nnext line', 80)).toBeNull()
  for (const text of ['a\0', '\ud800', 'x'.repeat(81)]) expect(textProblem(text, 80)).not.toBeNull()
})
