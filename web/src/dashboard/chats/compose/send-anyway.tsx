import { useId } from 'react'

/** Asks whether a scheduled message is sent even if the visitor writes first. */
export function SendAnyway({ checked, onChange }: { checked: boolean; onChange: (isOn: boolean) => void }) {
  const id = useId()
  return (
    <div className="field">
      <label className="checkbox">
        <input
          type="checkbox"
          checked={checked}
          aria-describedby={id}
          onChange={(event) => onChange(event.target.checked)}
        />
        Send anyway
      </label>
      <p className="field-hint" id={id}>
        Otherwise a message from the visitor cancels it.
      </p>
    </div>
  )
}
