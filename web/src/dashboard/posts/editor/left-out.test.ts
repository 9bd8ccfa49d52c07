import { expect, test } from 'vitest'
import { LeftOutItems, type LeftOutKind, markOf } from './left-out.ts'

const HELP = ' Save each picture as a file, and insert it with Image.'

test.each<[LeftOutKind[], string]>([
  [[], ''],
  [['rule'], 'A horizontal line was left out.'],
  [['field', 'field'], '2 form fields were left out.'],
  [['other-site', 'other-site'], `2 pictures from other sites were left out.${HELP}`],
  [['media', 'local'], `An embedded item and a picture from a file on your computer were left out.${HELP}`],
])('what pasting left out is one sentence: %j', (kinds, sentence) => {
  const items = new LeftOutItems()
  for (const kind of kinds) items.add(kind)
  expect(String(items)).toBe(sentence)
})

test('a mark names what was in its place', () => {
  expect(markOf('other-site', 'a chart')).toBe('A picture from another site was left out: a chart')
  expect(markOf('media', '')).toBe('An embedded item was left out')
})
