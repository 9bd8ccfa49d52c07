import { expect, it } from 'vitest'
import { preview } from './preview.ts'

it.each([
  ['short', 10, 'short'],
  ['exactly ten', 11, 'exactly ten'],
  ['two words here', 9, 'two words…'],
  ['two words here', 8, 'two…'],
  ['two words here', 10, 'two words…'],
  ['一二三四五六七八', 4, '一二三四…'],
  ['a𝒳𝒳𝒳', 2, 'a𝒳…'],
])('cuts %j after at most %i characters, between words', (text, max, expected) => {
  expect(preview(text, max)).toBe(expected)
})
