import { type ErrorDetail, fieldErrors } from '../errors.ts'
import type { Field } from './text.ts'

/**
 * Returns the cleaned values of `fields`; a value that was not sent stays undefined. Throws an AppError `invalid-input`
 * with a detail for each wrong field, including those in `more`.
 */
export function checkFields<Name extends string, Values extends { [N in Name]?: unknown }>(
  fields: { [N in Name]: Field<NonNullable<Values[N]>> },
  values: Values,
  more: ErrorDetail[] = [],
): Pick<Values, Name> {
  const details: ErrorDetail[] = []
  const cleaned: Partial<Values> = {}
  for (const name in fields) {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined || value === null) continue
    cleaned[name] = fields[name].clean(value)
    const message = fields[name].problem(value)
    if (message !== null) details.push({ field: name, message })
  }
  details.push(...more)
  if (details.length > 0) throw fieldErrors(details)
  return cleaned as Pick<Values, Name>
}
