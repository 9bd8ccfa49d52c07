import { expect, it } from 'vitest'
import { csvRow } from './csv.ts'

it.each([
  ['plain', 'plain'],
  [-3, '-3'],
  [null, ''],
  ['a "b", c', '"a ""b"", c"'],
  ['two\nlines', '"two\nlines"'],
  ['=1+1', "'=1+1"],
  ['+1', "'+1"],
  ['-1', "'-1"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t=1"],
  ['\r=1', '"\'\r=1"'],
])('the cell %j is %j', (cell, expected) => {
  expect(csvRow([cell, 1])).toBe(`${expected},1\r\n`)
})
