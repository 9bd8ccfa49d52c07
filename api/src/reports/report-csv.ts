import type { Report, ReportFigures } from '@proctorpass/shared/schemas/report'
import { csvRow } from '../audit/csv.ts'

const COUNTS = ['conversations', 'episodes', 'resolved', 'missed', 'messagesIn', 'messagesOut'] as const
const DURATIONS = ['firstWait', 'wait', 'resolution'] as const
const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
const HOURS = ['weekday', ...Array.from({ length: 24 }, (_, hour) => `${hour}`)]
const SENT_COLUMNS = ['messagesOut', ...columnsOf(['firstWait', 'wait'])]
const COLUMNS = [
  ...COUNTS,
  ...columnsOf(DURATIONS),
  'ratings.n',
  'ratings.mean',
  ...[1, 2, 3, 4, 5].map((score) => `ratings.${score}`),
]

/**
 * Returns one table for each part of the report, with its name above and an empty line between. Durations are in
 * seconds.
 */
export function reportCsv(report: Report): string {
  const tables: [string, string[], (string | number | null)[][]][] = [
    [
      'totals',
      ['range', ...COLUMNS],
      [
        [`${report.from} to ${report.to}`, ...cellsOf(report.totals)],
        ['before', ...cellsOf(report.previous)],
      ],
    ],
    ['days', ['date', ...COLUMNS], report.days.map((day) => [day.date, ...cellsOf(day)])],
    ['heat', HOURS, byWeekday(report.heat)],
    ['slow', HOURS, byWeekday(report.slow)],
    [
      'admins',
      ['userId', 'name', ...SENT_COLUMNS],
      report.admins.map((admin) => [
        admin.userId,
        admin.name,
        admin.messagesOut,
        ...[admin.firstWait, admin.wait].flatMap(({ n, median, p90 }) => [n, median, p90]),
      ]),
    ],
    ['labels', ['label', ...COLUMNS], report.labels.map((label) => [label.label, ...cellsOf(label)])],
    [
      'sites',
      ['site', 'name', ...COLUMNS],
      report.sites.map((site) => [site.site, site.name, ...cellsOf(site)]),
    ],
    ['previous days', ['date', ...COLUMNS], report.previous.days.map((day) => [day.date, ...cellsOf(day)])],
  ]
  return tables.map(([name, columns, rows]) => [[name], columns, ...rows].map(csvRow).join('')).join('\r\n')
}

function byWeekday(week: Report['heat']): (string | number)[][] {
  return week.map((hours, day) => [DAYS[day] ?? '', ...hours])
}

function columnsOf(durations: readonly string[]): string[] {
  return durations.flatMap((name) => [`${name}.n`, `${name}.median`, `${name}.p90`])
}

function cellsOf(figures: ReportFigures): (number | null)[] {
  const { n, mean, scores } = figures.ratings
  return [
    ...COUNTS.map((name) => figures[name]),
    ...DURATIONS.flatMap((name) => [figures[name].n, figures[name].median, figures[name].p90]),
    n,
    mean,
    ...scores,
  ]
}
