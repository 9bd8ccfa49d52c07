import { expect, test } from 'vitest'
import { rankCommands } from './rank-commands.ts'

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
