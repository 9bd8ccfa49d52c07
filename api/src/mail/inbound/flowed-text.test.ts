import { expect, it } from 'vitest'
import { flowedText } from './flowed-text.ts'

it.each([
  ['joins lines that end with a space', 'one \ntwo\nthree', false, 'one two\nthree'],
  ['joins words without spaces', '日本 \n語\nthe  \nend', true, '日本語\nthe end'],
  [
    'removes the space before what looks like a mark',
    ' > no quote\n From here\n  code',
    false,
    '> no quote\nFrom here\n code',
  ],
  [
    'joins the lines of a quote',
    '> When is \n> it?\n>> Older \n>> words',
    false,
    '> When is it?\n>> Older words',
  ],
  ['ends a quote where an answer begins', '> When is it? \nAt nine.', false, '> When is it?\u0020\nAt nine.'],
  ['ends an answer where a quote begins', 'At nine. \n> When?', false, 'At nine.\u0020\n> When?'],
  ['leaves the line before a signature', 'words \n-- \nSam \nSmith', false, 'words\u0020\n-- \nSam Smith'],
  ['keeps empty lines', 'a\n\n> \n>\nb', false, 'a\n\n> \n> \nb'],
])('%s', (_, text, deletesSpace, expected) => {
  expect(flowedText(text, deletesSpace)).toBe(expected)
})
