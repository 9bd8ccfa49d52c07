import Type from 'typebox'
import type { SuggestionCount, SuggestionRepository } from '../port/suggestions.ts'
import { Count } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

export const SUGGESTION_COUNTS: PlainTable<SuggestionCount> = {
  name: 'suggestionCounts',
  key: '_id',
  fields: {
    _id: Type.String({ pattern: String.raw`^/[a-z0-9/#-]{1,200} \d{4}-\d\d-\d\d$` }),
    day: Type.String({ pattern: String.raw`^\d{4}-\d\d-\d\d$` }),
    opened: Count,
    asked: Count,
  },
  indexes: { day: { by: { day: 1, _id: 1 } } },
}

export function openSuggestions(counts: Rows<SuggestionCount>): SuggestionRepository {
  return {
    add: (path, day, { opened, asked }) => counts.add({ _id: `${path} ${day}`, day, opened, asked }),
    list: (from, to, { offset, limit }) =>
      counts.list({ day: { '>=': from, '<=': to } }, { order: { day: 1, _id: 1 }, offset, limit }),
    async removeBefore(day) {
      await counts.remove({ day: { '<': day } })
    },
  }
}
