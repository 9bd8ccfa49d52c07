import { durationText, shown } from '@proctorpass/shared/duration-text'
import type { ReportFigures } from '@proctorpass/shared/schemas/report'
import type { Unit } from './chart-scale.ts'

/** A figure on the page: how to read it from a report, and what it means. */
export interface Figure {
  name: string
  label: string
  /** Null if there are too few durations. */
  value: (figures: ReportFigures) => number | null
  text: (value: number | null) => string
  unit: Unit
  /** The page begins with these, in large type. A table has the others. */
  isLarge?: true
  /** How many things the figure is made of, and what they are called. Counts have no such number. */
  n?: (figures: ReportFigures) => number
  counted?: string
  definition: string
}

const count = (value: number | null) => (value === null ? '–' : value.toLocaleString('en-US'))

export const FIGURES: readonly Figure[] = [
  {
    name: 'first-wait',
    label: 'Median first response time',
    value: ({ firstWait }) => shown(firstWait, 'median'),
    text: durationText,
    unit: 'seconds',
    isLarge: true,
    n: ({ firstWait }) => firstWait.n,
    counted: 'answer',
    definition:
      'The time from the visitor’s message that opens or reopens a conversation until a person answers. Half of the visitors waited less. Automatic messages don’t count as an answer. Shown once there are five answers.',
  },
  {
    name: 'first-wait-p90',
    label: '90th percentile first response',
    value: ({ firstWait }) => shown(firstWait, 'p90'),
    text: durationText,
    unit: 'seconds',
    n: ({ firstWait }) => firstWait.n,
    counted: 'answer',
    definition:
      'Nine out of ten visitors waited no longer than this for the first answer. Shown once there are five answers.',
  },
  {
    name: 'wait',
    label: 'Median response time',
    value: ({ wait }) => shown(wait, 'median'),
    text: durationText,
    unit: 'seconds',
    n: ({ wait }) => wait.n,
    counted: 'answer',
    definition:
      'The time from a visitor’s first unanswered message until a person answers, for every answer.',
  },
  {
    name: 'missed',
    label: 'Missed',
    value: ({ missed }) => missed,
    text: count,
    unit: 'count',
    isLarge: true,
    n: ({ episodes }) => episodes,
    counted: 'conversation',
    definition:
      'Conversations that were resolved without an answer or waited 24 hours for one. They count on the day they were opened. A reopened conversation counts again.',
  },
  {
    name: 'conversations',
    label: 'New conversations',
    value: ({ conversations }) => conversations,
    text: count,
    unit: 'count',
    isLarge: true,
    definition: 'Conversations whose first message was sent in this period.',
  },
  {
    name: 'messages-in',
    label: 'Messages from visitors',
    value: ({ messagesIn }) => messagesIn,
    text: count,
    unit: 'count',
    definition: 'All messages that visitors sent, including by email.',
  },
  {
    name: 'resolved',
    label: 'Resolved',
    value: ({ resolved }) => resolved,
    text: count,
    unit: 'count',
    definition: 'Conversations that were resolved in this period.',
  },
  {
    name: 'resolution',
    label: 'Median time to resolve',
    value: ({ resolution }) => shown(resolution, 'median'),
    text: durationText,
    unit: 'seconds',
    n: ({ resolution }) => resolution.n,
    counted: 'conversation',
    definition:
      'The time from when a conversation is opened until it is resolved. Reopening starts a new count.',
  },
  {
    name: 'rating',
    label: 'Rating, 1 to 5',
    value: ({ ratings }) => ratings.mean,
    text: count,
    unit: 'score',
    isLarge: true,
    n: ({ ratings }) => ratings.n,
    counted: 'rating',
    definition: 'The average rating from visitors after their conversation was resolved.',
  },
]

/** Returns a figure's value in words, also for a median of too few. */
export function wordsOf(figure: Figure, figures: ReportFigures): string {
  const value = figure.value(figures)
  if (value !== null || figure.n === undefined) return figure.text(value)
  return `${figure.n(figures) === 0 ? 'no' : 'too few'} ${figure.counted}s`
}
