import { ArrowDown, ArrowUp, Plus, Trash2 } from 'virtual:icons'
import type { Rule } from '@proctorpass/shared/fields/page-texts'
import { type ReactNode, useEffect, useRef } from 'react'
import { Icon } from '../../components/icon.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { entryName } from './text-names.ts'

type Entry = Record<string, unknown>

interface EntryListProps {
  rule: Extract<Rule, { is: 'list' }>
  path: string
  entries: readonly Entry[]
  error: string | undefined
  onChange: (entries: Entry[]) => void
  /** Renders an entry's fields. */
  children: (entry: Entry, index: number) => ReactNode
}

/** Edits a list whose entries have several fields. Entries can be added, moved, and removed. */
export function EntryList({ rule, path, entries, error, onChange, children }: EntryListProps) {
  const list = useRef<HTMLDivElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  /** What gets the focus once it is rendered: the fields of an entry, or the button after a removal. */
  const next = useRef<number | 'button' | null>(null)
  useEffect(() => {
    const wanted = next.current
    next.current = null
    if (wanted === 'button') add.current?.focus()
    else if (wanted !== null) {
      list.current
        ?.querySelectorAll('fieldset')
        [wanted]?.querySelector<HTMLElement>('input, textarea')
        ?.focus()
    }
  })

  const name = entryName(path.split('/').at(-1) ?? '')
  function move(from: number, to: number): void {
    const entry = entries[from]
    if (entry === undefined || to < 0 || to >= entries.length) return
    onChange(entries.toSpliced(from, 1).toSpliced(to, 0, entry))
  }

  return (
    <div className="text-entries" ref={list}>
      {entries.map((entry, index) => (
        // The fields hold nothing of their own, so the place is a good key.
        <fieldset key={index} className="card text-entry">
          <legend className="visually-hidden">
            {name} {index + 1}
          </legend>
          <div className="text-entry-tools">
            <IconButton
              icon={ArrowUp}
              label={`Move up: ${name} ${index + 1}`}
              tip="Move up"
              aria-disabled={index === 0}
              onClick={() => move(index, index - 1)}
            />
            <IconButton
              icon={ArrowDown}
              label={`Move down: ${name} ${index + 1}`}
              tip="Move down"
              aria-disabled={index === entries.length - 1}
              onClick={() => move(index, index + 1)}
            />
            <IconButton
              icon={Trash2}
              label={`Remove: ${name} ${index + 1}`}
              tip="Remove"
              onClick={() => {
                next.current = 'button'
                onChange(entries.toSpliced(index, 1))
              }}
            />
          </div>
          <div className="text-entry-fields">{children(entry, index)}</div>
        </fieldset>
      ))}
      {error !== undefined && <p className="field-error">{error}</p>}
      {entries.length < rule.max ? (
        <button
          ref={add}
          type="button"
          className="button"
          onClick={() => {
            next.current = entries.length
            onChange([...entries, emptyEntry(rule.of)])
          }}
        >
          <Icon of={Plus} />
          Add {name.toLowerCase()}
        </button>
      ) : (
        <p className="field-hint">You have {rule.max}, the maximum. Remove one to add another.</p>
      )}
    </div>
  )
}

function emptyEntry(rule: Rule): Entry {
  if (rule.is !== 'parts') return {}
  return Object.fromEntries(
    Object.entries(rule.parts).map(([name, { is }]) => [
      name,
      is === 'flag' ? false : is === 'anchor' ? newAnchor() : '',
    ]),
  )
}

/** Makes the ID of a new group, which is its anchor on the page. */
function newAnchor(): string {
  return `g-${crypto.randomUUID().slice(0, 8)}`
}
