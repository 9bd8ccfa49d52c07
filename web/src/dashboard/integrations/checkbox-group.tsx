import { useId } from 'react'
import type { UseFormRegisterReturn } from 'react-hook-form'

interface CheckboxGroupProps<T extends string> {
  legend: string
  /** The options' labels, in the order in which they are shown. */
  labels: Record<T, string>
  /** The field's value is the list of the chosen options. */
  field: UseFormRegisterReturn
  error: string | undefined
}

/** Shows one field of a form as checkboxes. */
export function CheckboxGroup<T extends string>({ legend, labels, field, error }: CheckboxGroupProps<T>) {
  const id = useId()
  return (
    <fieldset className="checkbox-group">
      <legend>{legend}</legend>
      {Object.entries<string>(labels).map(([value, label]) => (
        <label key={value} className="checkbox">
          <input
            type="checkbox"
            value={value}
            {...field}
            aria-invalid={error !== undefined}
            aria-describedby={error === undefined ? undefined : id}
          />
          {label}
        </label>
      ))}
      {error !== undefined && (
        <p className="field-error" id={id}>
          {error}
        </p>
      )}
    </fieldset>
  )
}
