import { expect, it } from 'vitest'
import { mentionQuery, slashQuery } from './caret-query.ts'

/** With | for the caret. */
const at = (marked: string) => slashQuery(marked.replace('|', ''), marked.indexOf('|'))

it.each([
  ['/|', { from: 0, query: '' }],
  ['/exam|', { from: 0, query: 'exam' }],
  ['/ex|am', { from: 0, query: 'ex' }],
  ['/exam day|', { from: 0, query: 'exam day' }],
  ['Hi\n/ex|', { from: 3, query: 'ex' }],
  ['Hi\n/|\nmore', { from: 3, query: '' }],
])('finds a query in %j', (marked, found) => {
  expect(at(marked)).toEqual(found)
})

it.each([
  '|',
  '|/exam',
  'and/|or',
  'see /etc|',
  ' /|',
  'https://a.example/|path',
  '/etc/|hosts',
  '//|',
  '/exam\n|',
  'Hi\n|/ex',
  `/${'x'.repeat(61)}|`,
])('finds none in %j', (marked) => {
  expect(at(marked)).toBeNull()
})

it.each([
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

it('only the text before the caret counts', () => {
  expect(mentionQuery('Ask @anna', 7)).toEqual({ from: 4, query: 'an' })
})
