import Type from 'typebox'
import { Count } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** How often visitors opened a suggested page on one day, and how often they then wrote. It says nothing of who they are. */
export interface SuggestionCount {
  /** `{path} {day}` */
  _id: string
  /** `YYYY-MM-DD` */
  day: string
  opened: number
  /** Openings that a message followed within 30 minutes. */
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
    /** Adds to the counts of a page and a day. Calls at once, of any node, all count. */
    add: (path: string, day: string, { opened, asked }: Pick<SuggestionCount, 'opened' | 'asked'>) =>
      counts.add({ _id: `${path} ${day}`, day, opened, asked }),
    /** Those of the days from `from` to `to`, in order of the days. */
    list: (from: string, to: string, { offset, limit }: { offset: number; limit: number }) =>
      counts.list({ day: { '>=': from, '<=': to } }, { order: { day: 1, _id: 1 }, offset, limit }),
    async removeBefore(day: string): Promise<void> {
      await counts.remove({ day: { '<': day } })
    },
  }
}
