import { trimmed } from '@proctorpass/shared/fields/text'
import { labelKey } from '@proctorpass/shared/label-key'
import { LABEL_MAX, LABELS_MAX } from '@proctorpass/shared/limits'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Dialog } from '../../ui/dialog.tsx'
import { DialogEnd } from '../../ui/dialog-end.tsx'
import { Field } from '../../ui/field.tsx'
import { labelsQuery } from '../../ui/labels.ts'
import { changedLabels, type LabelChange } from './inbox-changes.ts'

interface LabelMenuProps {
  /** Each conversation's labels. */
  lists: readonly (readonly string[])[]
  near?: HTMLElement | null
  onSave: (change: LabelChange) => void
  onClose: () => void
}

/**
 * Checks and unchecks labels, and adds new ones. A label that only some of the conversations have stays on those until
 * the admin checks it.
 */
export function LabelMenu({ lists, near, onSave, onClose }: LabelMenuProps) {
  const used = useQuery(labelsQuery).data?.labels ?? []
  const [typed, setTyped] = useState('')
  const [choices, setChoices] = useState<ReadonlyMap<string, { label: string; checked: boolean }>>(new Map())
  const [error, setError] = useState<string>()

  const added = [...choices.values()].filter(({ checked }) => checked).map(({ label }) => label)
  const removed = [...choices.values()].filter(({ checked }) => !checked).map(({ label }) => label)
  const own = changedLabels([], { added: lists.flat(), removed: [] })
  const all = changedLabels(own, { added: [...added, ...used], removed: [] })
  const search = labelKey(trimmed(typed))
  const shown = all.filter((label) => labelKey(label).includes(search))
  const isNew = search !== '' && !all.some((label) => labelKey(label) === search)

  function choose(label: string, checked: boolean) {
    setChoices(new Map(choices).set(labelKey(label), { label, checked }))
    setError(undefined)
  }

  function addTyped() {
    const label = trimmed(typed)
    if ([...label].length > LABEL_MAX) return setError(`Use ${LABEL_MAX} characters or fewer`)
    choose(all.find((known) => labelKey(known) === search) ?? label, true)
    setTyped('')
  }

  function handleSubmit(event: FormEvent) {
    event.preventDefault()
    if (search !== '') return addTyped()
    const change = { added, removed }
    if (lists.some((labels) => changedLabels(labels, change).length > LABELS_MAX)) {
      return setError(`Use ${LABELS_MAX} labels or fewer`)
    }
    onSave(change)
  }

  /** Returns whether every conversation has a label. Null if only some have it. */
  function isOn(label: string): boolean | null {
    const choice = choices.get(labelKey(label))
    if (choice) return choice.checked
    const count = lists.filter((labels) => labels.some((each) => labelKey(each) === labelKey(label))).length
    return count === 0 ? false : count === lists.length ? true : null
  }

  return (
    <Dialog title="Labels" near={near} onClose={onClose}>
      <form className="dialog-form" noValidate onSubmit={handleSubmit}>
        <Field label="Find or add a label" error={error}>
          {(shared) => (
            <input
              {...shared}
              type="text"
              autoComplete="off"
              value={typed}
              onChange={(event) => {
                setTyped(event.target.value)
                setError(undefined)
              }}
            />
          )}
        </Field>
        {isNew && (
          <button type="button" className="link-button label-add" onClick={addTyped}>
            Add “{typed.trim()}”
          </button>
        )}
        {shown.length > 0 && (
          <ul className="label-choices">
            {shown.map((label) => {
              const on = isOn(label)
              return (
                <li key={labelKey(label)}>
                  <label className="checkbox">
                    <input
                      type="checkbox"
                      checked={on === true}
                      ref={(box) => {
                        if (box) box.indeterminate = on === null
                      }}
                      onChange={(event) => choose(label, event.target.checked)}
                    />
                    <bdi>{label}</bdi>
                  </label>
                </li>
              )
            })}
          </ul>
        )}
        <DialogEnd submitLabel="Save" onCancel={onClose} />
      </form>
    </Dialog>
  )
}
