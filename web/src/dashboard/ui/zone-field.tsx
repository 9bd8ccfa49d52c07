import { useMemo } from 'react'
import { Field } from './field.tsx'

interface ZoneFieldProps {
  /** An IANA time zone name. */
  zone: string
  error: string | undefined
  onChange: (zone: string) => void
}

export const ownZone = () => Intl.DateTimeFormat().resolvedOptions().timeZone

/** Chooses a time zone, and offers this device's zone. */
export function ZoneField({ zone, error, onChange }: ZoneFieldProps) {
  const own = ownZone()
  const zones = useMemo(
    () => [...new Set([...Intl.supportedValuesOf('timeZone'), 'UTC', own, zone])].sort(),
    [own, zone],
  )
  return (
    <Field
      label="Time zone"
      error={error}
      {...(own === zone
        ? {}
        : {
            hint: (
              <>
                This device's time zone is {own}.{' '}
                <button type="button" className="link-button" onClick={() => onChange(own)}>
                  Use {own}
                </button>
              </>
            ),
          })}
    >
      {(shared) => (
        <select {...shared} value={zone} onChange={(event) => onChange(event.target.value)}>
          {zones.map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      )}
    </Field>
  )
}
