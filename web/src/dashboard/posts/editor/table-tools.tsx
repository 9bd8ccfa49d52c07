import type Quill from 'quill'
import { editTable } from './post-quill.ts'
import { decodeCell, type TableChange } from './table-cells.ts'
import { Tools } from './tools.tsx'

const CHANGES: [label: string, change: TableChange | 'delete-table', keys?: string][] = [
  ['Row above', 'row-above'],
  ['Row below', 'row-below', 'Control+Enter'],
  ['Column left', 'column-before'],
  ['Column right', 'column-after'],
  ['Delete row', 'delete-row'],
  ['Delete column', 'delete-column'],
  ['Header row', 'header-row'],
  ['Delete table', 'delete-table'],
]

/** Changes the table around the caret, in whose `cell` it is. */
export function TableTools({ quill, cell }: { quill: Quill; cell: unknown }) {
  return (
    <Tools label="Table">
      <span>
        {CHANGES.map(([label, change, keys]) => (
          <button
            key={change}
            type="button"
            title={keys === undefined ? undefined : `Ctrl+Enter`}
            aria-keyshortcuts={keys}
            aria-pressed={change === 'header-row' ? decodeCell(cell).isHead : undefined}
            onClick={() => editTable(quill, change)}
          >
            {label}
          </button>
        ))}
      </span>
    </Tools>
  )
}
