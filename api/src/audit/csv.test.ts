import { expect, it } from 'vitest'
import { csvRow } from './csv.ts'

it.each([
  ['plain', '"plain"'],
  ['', '""'],
  [-3, '-3'],
  [null, ''],
  ['a;=1+1', '"a;=1+1"'],
  ['a "b", c', '"a ""b"", c"'],
  ['two\nlines', '"two\nlines"'],
  ['\r=1', '"\'\r=1"'],
])('the cell %j is %j', (cell, expected) => {
  expect(csvRow([cell, 1])).toBe(`${expected},1\r\n`)
})

it.each([
  '=1+1',
  '+1',
  '-1',
  '@SUM(A1)',
  '\t=1',
  '\n=1',
  '＝1+1',
  '＋1',
  '－1',
  '＠SUM(A1)',
  '﹦1',
  '﹢1',
  '﹣1',
  '﹫A1',
])('the cell %j is no formula', (cell) => {
  expect(csvRow([cell])).toBe(`"'${cell}"\r\n`)
})
