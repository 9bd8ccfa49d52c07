import Type from 'typebox'
import { Count } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** Counts how often visitors opened a suggested page on a day and how often they then wrote. It identifies no visitor. */
export interface SuggestionCount {
  /** The ID, `{path} {day}`. */
  _id: string
  /** The day as `YYYY-MM-DD`. */
  day: string
  opened: number
  /** The number of openings that a message followed within 30 minutes. */
  asked: number
}

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

export function openSuggestions(counts: Rows<SuggestionCount>) {
  return {
    /** Adds to the counts for a page and a day. Concurrent calls on any nodes all count. */
    add: (path: string, day: string, { opened, asked }: Pick<SuggestionCount, 'opened' | 'asked'>) =>
      counts.add({ _id: `${path} ${day}`, day, opened, asked }),
    /** Lists the counts for the days from `from` to `to`, in the order of the days. */
    list: (from: string, to: string, { offset, limit }: { offset: number; limit: number }) =>
      counts.list({ day: { '>=': from, '<=': to } }, { order: { day: 1, _id: 1 }, offset, limit }),
    async removeBefore(day: string): Promise<void> {
      await counts.remove({ day: { '<': day } })
    },
  }
}
