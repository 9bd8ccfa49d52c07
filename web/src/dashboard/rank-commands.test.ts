import { expect, test } from 'vitest'
import { foundParts, isScattered, rankCommands } from './rank-commands.ts'

const COMMANDS = ['Reopen', 'Resolve', 'Go to Add review', 'Keyboard shortcuts', 'Note'].map((label) => ({
  label,
}))
const found = (typed: string) => rankCommands(COMMANDS, typed).map(({ label }) => label)

test.each([
  ['', ['Reopen', 'Resolve', 'Go to Add review', 'Keyboard shortcuts', 'Note']],
  ['RES', ['Resolve']],
  // The beginning of a label, then of a word.
  ['re', ['Reopen', 'Resolve', 'Go to Add review']],
  // Letters in order, with others between them.
  ['rsv', ['Resolve']],
  ['short key', ['Keyboard shortcuts']],
  ['add', ['Go to Add review']],
  ['zebra', []],
])('%j finds %j', (typed, labels) => {
  expect(found(typed)).toEqual(labels)
})

test('puts any name that has the word before letters that are scattered', () => {
  const commands = ['Go to Summary', 'Mark as read', 'Open Otmar', 'Open Lee (marie@example.com)'].map(
    (label) => ({ label }),
  )
  const labels = (typed: string) => rankCommands(commands, typed).map(({ label }) => label)
  expect(labels('mari')).toEqual(['Open Lee (marie@example.com)'])
  expect(labels('mar')).toEqual([
    'Mark as read',
    'Open Lee (marie@example.com)',
    'Go to Summary',
    'Open Otmar',
  ])
})

test('puts parts of words before one word whose letters are scattered', () => {
  const commands = [{ label: 'Order log ahead' }, { label: 'Mordor flag' }]
  expect(rankCommands(commands, 'or la').map(({ label }) => label)).toEqual([
    'Mordor flag',
    'Order log ahead',
  ])
})

test.each([
  ['re', 'Go to Add review', 'Go to Add [re]view'],
  ['RES', 'Resolve', '[Res]olve'],
  ['rsv', 'Resolve', '[R]e[s]ol[v]e'],
  ['short key', 'Keyboard shortcuts', '[Key]board [short]cuts'],
  ['', 'Note', 'Note'],
])('%j marks letters in %j', (typed, label, marked) => {
  const parts = foundParts(label, typed).map(({ text, isFound }) => (isFound ? `[${text}]` : text))
  expect(parts.join('')).toBe(marked)
})

test('knows when the letters of a word are scattered', () => {
  expect(isScattered('Resolve', 'rsv')).toBe(true)
  expect(isScattered('Resolve', 'solve')).toBe(false)
})
