import { expect, test } from 'vitest'
import { mentionQuery } from './mention-query.ts'

test.each([
  ['@', { from: 0, query: '' }],
  ['Ask @an', { from: 4, query: 'an' }],
  ['(@Anna', { from: 1, query: 'Anna' }],
  ['one\n@b', { from: 4, query: 'b' }],
  ['@an @be', { from: 4, query: 'be' }],
  ['mail a@example', null],
  ['@anna please', null],
  ['', null],
])('%j', (text, expected) => {
  expect(mentionQuery(text, text.length)).toEqual(expected)
})

test('only the text before the caret counts', () => {
  expect(mentionQuery('Ask @anna', 7)).toEqual({ from: 4, query: 'an' })
})
