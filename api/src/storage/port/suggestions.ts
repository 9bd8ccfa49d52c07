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

export interface SuggestionRepository {
  /** Adds to the counts of a page and a day. Calls at once, of any node, all count. */
  add(path: string, day: string, counts: Pick<SuggestionCount, 'opened' | 'asked'>): Promise<void>
  /** Those of the days from `from` to `to`, in order of the days. */
  list(from: string, to: string, page: { offset: number; limit: number }): Promise<SuggestionCount[]>
  removeBefore(day: string): Promise<void>
}
