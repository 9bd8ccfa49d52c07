import { useId } from 'react'

interface SwitchProps {
  label: string
  hint?: string | undefined
  checked: boolean
  disabled?: boolean
  onChange: (isOn: boolean) => void
}

/** Shows a setting that is on or off, with its switch at the row's end. */
export function Switch({ label, hint, checked, disabled, onChange }: SwitchProps) {
  const id = useId()
  return (
    <div className="field switch">
      <label className="checkbox">
        <input
          type="checkbox"
          // biome-ignore lint/a11y/useAriaPropsForRole: a checkbox has its state; HTML forbids aria-checked
          role="switch"
          checked={checked}
          disabled={disabled}
          aria-describedby={hint === undefined ? undefined : `${id}-hint`}
          onChange={(event) => onChange(event.target.checked)}
        />
        {label}
      </label>
      {hint !== undefined && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  )
}
