import type { UseFormRegisterReturn } from 'react-hook-form'

interface CheckboxGroupProps<T extends string> {
  legend: string
  /** In the order in which they are shown. */
  labels: Record<T, string>
  /** The field. Its value is the list of the chosen options. */
  field: UseFormRegisterReturn
  error: string | undefined
}

/** Checkboxes that are one field of a form. */
export function CheckboxGroup<T extends string>({ legend, labels, field, error }: CheckboxGroupProps<T>) {
  return (
    <fieldset className="checkbox-group">
      <legend>{legend}</legend>
      {Object.entries<string>(labels).map(([value, label]) => (
        <label key={value} className="checkbox">
          <input type="checkbox" value={value} {...field} />
          {label}
        </label>
      ))}
      {error !== undefined && (
        <p className="field-error" role="alert">
          {error}
        </p>
      )}
    </fieldset>
  )
}
