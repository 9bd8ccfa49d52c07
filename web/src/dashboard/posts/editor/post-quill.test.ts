// @vitest-environment jsdom
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { FORMATS } from './formats.ts'
import { keyOf } from './lines.ts'
import { linesIn, PostDocument } from './post-document.ts'
import { editTable, insertTable, PostQuill } from './post-quill.ts'
import { changeTable, linesOfRows, type Row, rowsOf, type TableChange } from './table-cells.ts'

// jsdom lays nothing out.
Range.prototype.getBoundingClientRect = () => new DOMRect()

function open(html: string): PostQuill {
  const container = document.createElement('div')
  document.body.replaceChildren(container)
  const quill = new PostQuill(container, { formats: FORMATS })
  new PostDocument(quill, html)
  return quill
}

const CHANGES: TableChange[] = [
  'row-above',
  'row-below',
  'column-before',
  'column-after',
  'delete-row',
  'delete-column',
  'header-row',
]

/** The number of columns of each row, with the cells that reach into it from above. */
function widths(rows: readonly Row[]): number[] {
  return rows.map((_, at) =>
    rows
      .slice(0, at + 1)
      .flatMap((row, from) => row.filter(({ rowspan }) => from + rowspan > at))
      .reduce((sum, { colspan }) => sum + colspan, 0),
  )
}

const TABLE =
  '<table><thead><tr><th scope="col">A</th><th class="ql-align-right" scope="col" colspan="2">B</th></tr></thead><tbody>' +
  '<tr><th scope="row" rowspan="2">C</th><td>D</td><td>E<br>e</td></tr><tr><td colspan="2">F</td></tr>' +
  '<tr><td>G</td><td rowspan="2">H</td><td><b>I</b></td></tr><tr><td>J</td><td>K</td></tr></tbody></table>'

it('shows every change of a table as it was meant, and each row has the same columns', () => {
  const steps = fc.array(fc.tuple(fc.nat(30), fc.constantFrom(...CHANGES)), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(steps, (changes) => {
      const quill = open(`<p>before</p>${TABLE}<p>after</p>`)
      for (const [at, change] of changes) {
        const lines = linesIn(quill).slice(1, -1)
        if (lines.length === 0) break
        const rows = rowsOf(lines)
        const cell = at % lines.length
        const place = quill.getLines()[cell + 1]
        if (!place) throw new Error('The editor lacks a line.')
        quill.setSelection(quill.getIndex(place), 0, 'silent')
        editTable(quill, change)
        const shown = linesIn(quill)
        const meant = linesOfRows(changeTable(rows, cell, change))
        // New rows have new names.
        const plain = (key: string) => key.replaceAll(/t\d+/g, 't')
        expect(shown.slice(1, -1).map((line) => plain(keyOf(line)))).toEqual(
          meant.map((line) => plain(keyOf(line))),
        )
        expect(quill.root.querySelectorAll('tr')).toHaveLength(rowsOf(shown).length)
        expect(quill.root.querySelectorAll('table').length).toBeLessThanOrEqual(1)
        expect(new Set(widths(rowsOf(shown))).size).toBeLessThanOrEqual(1)
        expect(quill.getText().startsWith('before\n') && quill.getText().endsWith('after\n')).toBe(true)
      }
    }),
    {
      numRuns: 20,
      // Found by a longer run.
      examples: [
        [
          [
            [17, 'row-below'],
            [0, 'delete-column'],
            [0, 'row-above'],
            [0, 'row-above'],
            [10, 'row-above'],
            [0, 'column-before'],
          ],
        ],
      ],
    },
  )
})

it('inserts a table behind a line, and in place of an empty one', () => {
  const quill = open('<h2>title</h2><p></p>')
  quill.setSelection(2, 0, 'silent')
  insertTable(quill)
  quill.setSelection(quill.getLength() - 1, 0, 'silent')
  insertTable(quill)
  expect([...quill.root.children].map(({ localName }) => localName)).toEqual(['h2', 'table', 'table', 'p'])
  expect([...quill.root.querySelectorAll('tr')].map((row) => row.cells.length)).toEqual([3, 3, 3, 3, 3, 3])
})

it('inserts a table behind the last line, and keeps a line to write on', () => {
  const quill = open('<h2>title</h2>')
  quill.setSelection(5, 0, 'silent')
  insertTable(quill)
  expect([...quill.root.children].map(({ localName }) => localName)).toEqual(['h2', 'table', 'p'])
})
