import { expect, it } from 'vitest'
import { slashQuery } from './slash-query.ts'

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
