import type { ReportFigures } from '@proctorpass/shared/schemas/report'
import { durationText, shown } from './report-text.ts'

/** A figure on the page: how to read it from a report, and what it means. */
export interface Figure {
  name: string
  label: string
  /** Null if there are too few durations. */
  value: (figures: ReportFigures) => number | null
  text: (value: number | null) => string
  /** How many durations the figure is made of. Counts have no such number. */
  n?: (figures: ReportFigures) => number
  definition: string
}

const count = (value: number | null) => (value === null ? '–' : value.toLocaleString('en-US'))

export const FIGURES: readonly Figure[] = [
  {
    name: 'first-wait',
    label: 'First wait, median',
    value: ({ firstWait }) => shown(firstWait, 'median'),
    text: durationText,
    n: ({ firstWait }) => firstWait.n,
    definition:
      'From the visitor’s message that opens or reopens a conversation until a person answers. Half waited less. Automatic messages end no wait. Shown from five answers on.',
  },
  {
    name: 'first-wait-p90',
    label: 'First wait, nine of ten',
    value: ({ firstWait }) => shown(firstWait, 'p90'),
    text: durationText,
    n: ({ firstWait }) => firstWait.n,
    definition: 'Nine of ten visitors waited no longer for the first answer. Shown from five answers on.',
  },
  {
    name: 'wait',
    label: 'Every wait, median',
    value: ({ wait }) => shown(wait, 'median'),
    text: durationText,
    n: ({ wait }) => wait.n,
    definition: 'From each first unanswered message of a visitor until a person answers.',
  },
  {
    name: 'missed',
    label: 'Missed',
    value: ({ missed }) => missed,
    text: count,
    n: ({ episodes }) => episodes,
    definition:
      'Episodes that were resolved, or had waited 24 hours, without an answer. They count on the day they began.',
  },
  {
    name: 'conversations',
    label: 'New conversations',
    value: ({ conversations }) => conversations,
    text: count,
    definition: 'Conversations whose first message is in these days.',
  },
  {
    name: 'messages-in',
    label: 'Messages of visitors',
    value: ({ messagesIn }) => messagesIn,
    text: count,
    definition: 'All messages that visitors sent, also by mail.',
  },
  {
    name: 'resolved',
    label: 'Resolved',
    value: ({ resolved }) => resolved,
    text: count,
    definition: 'Episodes that were resolved in these days.',
  },
  {
    name: 'resolution',
    label: 'Until resolved, median',
    value: ({ resolution }) => shown(resolution, 'median'),
    text: durationText,
    n: ({ resolution }) => resolution.n,
    definition: 'From the beginning of an episode until it is resolved. Reopening begins a new episode.',
  },
  {
    name: 'rating',
    label: 'Rating, 1 to 5',
    value: ({ ratings }) => ratings.mean,
    text: count,
    n: ({ ratings }) => ratings.n,
    definition: 'The mean of what visitors gave after their conversation was resolved.',
  },
]
