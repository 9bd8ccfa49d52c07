import type Quill from 'quill'
import { type KeyboardEvent, type ReactNode, useEffect, useRef } from 'react'
import { editTable } from './post-quill.ts'
import { decodeCell, type TableChange } from './table-cells.ts'

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

/** Changes the table around the caret. `cell` is the caret's cell. */
export function TableTools({ quill, cell }: { quill: Quill; cell: unknown }) {
  return (
    <Tools label="Table">
      <span>
        {CHANGES.map(([label, change, keys]) => (
          <button
            key={change}
            type="button"
            className="button button-quiet button-s"
            data-tip={keys === undefined ? undefined : 'Ctrl+Enter'}
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

/** Renders a toolbar. The left and right keys move between its controls, and Tab leaves it in one step. */
export function Tools({ label, children }: { label: string; children: ReactNode }) {
  const toolbar = useRef<HTMLDivElement>(null)
  const controls = () => [...(toolbar.current?.querySelectorAll<HTMLElement>('button, select') ?? [])]
  const makeReachable = (reachable: HTMLElement) => {
    for (const control of controls()) control.tabIndex = control === reachable ? 0 : -1
  }
  // This runs once. Later, the focused control is the one that Tab reaches.
  useEffect(() => {
    const [first] = controls()
    if (first) makeReachable(first)
  }, [])

  function handleKeyDown(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    const all = controls()
    const index = all.indexOf(event.target as HTMLElement)
    all[(index + step + all.length) % all.length]?.focus()
  }

  return (
    <div
      ref={toolbar}
      className="rich-text-tools"
      role="toolbar"
      aria-label={label}
      onKeyDown={handleKeyDown}
      onFocus={({ target }) => makeReachable(target)}
    >
      {children}
    </div>
  )
}
