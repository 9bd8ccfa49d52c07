import { type SearchQuery, SearchQuerySchema } from '@proctorpass/shared/schemas/search'
import { Compile, type Validator } from 'typebox/compile'

let compiled: Validator<Record<never, never>, typeof SearchQuerySchema> | undefined

/** Parses the text after the `?` of a search's address. Returns null if the route's schema refuses it. */
export function parseSavedQuery(text: string): SearchQuery | null {
  const parameters = new URLSearchParams(text)
  const values = [...new Set(parameters.keys())].map((name) => {
    const [value = '', ...others] = parameters.getAll(name)
    if (others.length > 0) return [name, [value, ...others]] as const
    return [name, name === 'limit' && String(Number(value)) === value ? Number(value) : value] as const
  })
  const query = Object.fromEntries(values)
  compiled ??= Compile(SearchQuerySchema)
  return compiled.Check(query) ? query : null
}
