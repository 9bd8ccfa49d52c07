import { altProblem } from '@proctorpass/shared/fields/post'
import { Field } from '../ui/field.tsx'

/** Says what an image shows, or that it adds no information. */
export interface Description {
  alt: string
  isDecorative: boolean
}

export function isDescribed({ alt, isDecorative }: Description): boolean {
  return altProblem(alt, isDecorative) === null
}

interface AltTextFieldProps {
  value: Description
  error: string | undefined
  /** Receives the text field, to focus it. */
  inputRef?: ((field: HTMLInputElement | null) => void) | undefined
  onChange: (value: Description) => void
}

/**
 * Asks what an image shows. A decorative image needs no text. The typed text is kept in case the admin undoes the
 * choice.
 */
export function AltTextField({ value, error, inputRef, onChange }: AltTextFieldProps) {
  const { alt, isDecorative } = value
  return (
    <div className="alt-text">
      <Field
        label="Alt text"
        hint="Describes the image for people who can't see it."
        error={isDecorative ? undefined : error}
      >
        {(shared) => (
          <input
            {...shared}
            ref={inputRef}
            type="text"
            autoComplete="off"
            disabled={isDecorative}
            value={isDecorative ? '' : alt}
            onChange={({ currentTarget }) => onChange({ alt: currentTarget.value, isDecorative })}
          />
        )}
      </Field>
      <label className="checkbox">
        <input
          type="checkbox"
          checked={isDecorative}
          onChange={({ currentTarget }) => onChange({ alt, isDecorative: currentTarget.checked })}
        />
        Decorative image: needs no alt text
      </label>
    </div>
  )
}
