import type { SearchFilters } from '@proctorpass/shared/schemas/search'

export type SearchFilterName = keyof SearchFilters

/** The filters in the order in which they are shown. */
export const SEARCH_FILTER_NAMES: readonly SearchFilterName[] = [
  'from',
  'after',
  'before',
  'label',
  'status',
  'channel',
  'site',
  'has',
]

/** Matches a typed filter such as `from:visitor` or `label:"two words"`. */
const TYPED =
  /(?<!\S)(from|after|before|label|status|channel|site|has):(?:["“”„]([^"“”„]+)["“”„]|([^\s"“”„]+))(?!\S)/giu

/** Returns the page's query for what an admin typed. A typed filter replaces the present one of its name. */
export function typedSearch(text: string, present = new URLSearchParams()): URLSearchParams {
  const filters = new Map<string, string>()
  const words = text.replace(TYPED, (_, name: string, quoted?: string, word?: string) => {
    filters.set(name.toLowerCase(), (quoted ?? word ?? '').trim())
    return ' '
  })
  const query = new URLSearchParams()
  const q = words.replace(/\s+/gu, ' ').trim()
  if (q !== '') query.set('q', q)
  for (const name of SEARCH_FILTER_NAMES) {
    const value = filters.get(name) ?? present.get(name)
    if (value) query.set(name, value)
  }
  return query
}
