import { adminPaths } from '@proctorpass/shared/admin-paths'
import { aliasOf } from '@proctorpass/shared/alias'
import { durationText, shown } from '@proctorpass/shared/duration-text'
import type { Report, ReportConversations, ReportFigures } from '@proctorpass/shared/schemas/report'
import { useInfiniteQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { callAsAdmin } from '../../lib/session.ts'
import { LoadFailed, Loading } from '../ui/loading.tsx'
import { FIGURES, type Figure } from './figures.ts'
import { dayText, hourText, previousHeading, shortDayText, WEEKDAYS } from './report-text.ts'

interface TableProps {
  caption: string
  columns: readonly string[]
  /** The first cell of each row is its heading. */
  rows: readonly (readonly string[])[]
}

function ReportTable({ caption, columns, rows }: TableProps) {
  return (
    // Wide tables scroll by themselves, and the keyboard can scroll them.
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className="report-table" tabIndex={0} aria-label={caption}>
      <table>
        <caption className="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([heading, ...cells], place) => (
            // Two admins or two websites can have the same name.
            <tr key={place}>
              <th scope="row">{heading}</th>
              {cells.map((cell, index) => (
                <td key={columns[index + 1]}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

export function Folded({ summary, children }: { summary: string; children: ReactNode }) {
  return (
    <details>
      <summary>{summary}</summary>
      {children}
    </details>
  )
}

interface DayTableProps {
  figure: Figure
  days: Report['days']
  /** As many days before, or none. */
  before: Report['days']
}

export function DayTable({ figure, days, before }: DayTableProps) {
  const rows = days.map((day, index) => {
    const past = before[index]
    return [
      dayText(day.date),
      figure.text(figure.value(day)),
      ...(figure.n ? [`${figure.n(day)}`] : []),
      past ? `${figure.text(figure.value(past))} (${shortDayText(past.date)})` : '–',
    ]
  })
  return (
    <ReportTable
      caption={`${figure.label} by day`}
      columns={[
        'Day',
        figure.label,
        ...(figure.counted ? [headingOf(figure.counted)] : []),
        previousHeading(days.length),
      ]}
      rows={rows}
    />
  )
}

/** Returns `Answers` for `answer`. */
function headingOf(counted: string): string {
  return `${counted.charAt(0).toUpperCase()}${counted.slice(1)}s`
}

export function HeatTable({ heat }: Pick<Report, 'heat'>) {
  const hours = Array.from({ length: 24 }, (_, hour) => hourText(hour))
  const rows = heat.map((counts, day) => [WEEKDAYS[day] ?? '', ...counts.map(String)])
  return (
    <ReportTable
      caption="Messages from visitors by weekday and hour"
      columns={['Weekday', ...hours]}
      rows={rows}
    />
  )
}

export function AdminTable({ admins }: Pick<Report, 'admins'>) {
  const rows = admins.map(({ name, messagesOut, firstWait, wait }) => [
    name,
    `${messagesOut}`,
    `${firstWait.n}`,
    durationText(shown(firstWait, 'median')),
    `${wait.n}`,
    durationText(shown(wait, 'median')),
    durationText(shown(wait, 'p90')),
  ])
  return (
    <ReportTable
      caption="By teammate"
      columns={[
        'Name',
        'Messages',
        'First answers',
        'Median first response',
        'Answers',
        'Median response',
        '90th percentile',
      ]}
      rows={rows}
    />
  )
}

export function GroupTable({
  heading,
  groups,
}: {
  /** The first column's heading. */
  heading: string
  groups: readonly { name: string; figures: ReportFigures }[]
}) {
  const rows = groups.map(({ name, figures }) => [
    name,
    ...FIGURES.map(({ value, text }) => text(value(figures))),
  ])
  const columns = [heading, ...FIGURES.map(({ label }) => label)]
  return <ReportTable caption={`By ${heading.toLowerCase()}`} columns={columns} rows={rows} />
}

/** Lists the conversations that a figure counts. They load once an admin opens the list. */
export function ConversationsBehind({
  query,
  kind,
  zone: timeZone,
}: {
  query: string
  kind: 'missed' | 'slow'
  /** The time zone of the report's days. */
  zone: string
}) {
  const when = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeStyle: 'short', timeZone })
  const list = useInfiniteQuery({
    queryKey: ['reports', 'conversations', kind, query],
    queryFn: ({ pageParam, signal }) => {
      const cursor = pageParam === undefined ? '' : `&cursor=${pageParam}`
      return callAsAdmin<ReportConversations>(
        `${adminPaths.reportConversations}?${query}&kind=${kind}${cursor}`,
        { signal },
      )
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const found = list.data?.pages.flatMap(({ conversations }) => conversations)
  return (
    <>
      {list.isPending && !list.error && <Loading />}
      {list.error && <LoadFailed error={list.error} onRetry={list.refetch} />}
      {found?.length === 0 && !list.hasNextPage && <p>These conversations are no longer stored.</p>}
      <ul>
        {found?.map(({ clientId, name, at, seconds }) => (
          <li key={`${clientId} ${at}`}>
            <VisitorLink clientId={clientId} name={name} />, {when.format(new Date(at))}
            {seconds !== null && `, waited ${durationText(seconds)}`}
          </li>
        ))}
      </ul>
      {list.hasNextPage && (
        <button
          type="button"
          className="button"
          aria-disabled={list.isFetchingNextPage}
          onClick={() => list.isFetchingNextPage || list.fetchNextPage()}
        >
          {list.isFetchingNextPage ? 'Loading...' : 'More'}
        </button>
      )}
    </>
  )
}

/** Links to the conversation, with the name that the list of conversations shows. */
export function VisitorLink({ clientId, name }: { clientId: string; name: string | null }) {
  return (
    <Link to={`/dashboard/messages/${clientId}`}>
      <bdi>{name ?? aliasOf(clientId)}</bdi>
    </Link>
  )
}
