import { aliasOf } from '@proctorpass/shared/alias'
import type { Now, Report, ReportConversations } from '@proctorpass/shared/schemas/report'
import { QueryClientProvider } from '@tanstack/react-query'
import { act, cleanup, fireEvent, render, screen, within } from '@testing-library/react'
import { HttpResponse } from 'msw'
import { setupServer } from 'msw/node'
import { createMemoryRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { SIGNED_OUT, useAuth } from '../../lib/auth-store.ts'
import { withoutLayout } from '../../testing/no-layout.ts'
import { http } from '../../testing/our-http.ts'
import { API, givePageState } from '../../testing/page-state.ts'
import { createQueryClient } from '../ui/query-client.ts'
import { ReportsPage } from './reports-page.tsx'

const NONE = { n: 0, median: null, p90: null }
const NOW = { open: 0, visitorsOnline: 0, adminsOnline: 1, onDuty: 1 }
const TOTALS: Report['totals'] = {
  ...{ conversations: 0, episodes: 0, resolved: 0, missed: 0, messagesIn: 0, messagesOut: 0 },
  ...{ firstWait: NONE, wait: NONE, resolution: NONE },
  ratings: { n: 0, mean: null, scores: [0, 0, 0, 0, 0] },
}

/** What the page asked for. */
const ranges: string[] = []
let reads = 0
const NO_ONE: Now['waiting'] = { count: 0, longestSince: null, conversations: [] }
let waiting = NO_ONE
const server = setupServer(
  http.get(`${API}/reports/now`, () => {
    reads += 1
    const date = new Date().toISOString().slice(0, 10)
    return HttpResponse.json<Now>({
      ...NOW,
      waiting,
      firstWait: { date, zone: 'UTC', ...NONE, weekday: NONE },
    })
  }),
  http.get(`${API}/reports`, ({ request }) => {
    const query = new URL(request.url).searchParams
    const [from, to] = [query.get('from') ?? '', query.get('to') ?? '']
    ranges.push(`${from} to ${to}`)
    return HttpResponse.json<Report>({
      ...{
        from,
        to,
        zone: query.get('zone') ?? 'UTC',
        time: 'clock',
        indexing: false,
        totals: TOTALS,
        previous: { ...TOTALS, days: [] },
      },
      ...{ admins: [], labels: [], sites: [] },
      days: [from, to].map((date) => ({ date, ...TOTALS })),
      heat: Array.from({ length: 7 }, () => new Array<number>(24).fill(0)),
      slow: [],
    })
  }),
  http.get(`${API}/reports/conversations`, () =>
    HttpResponse.json<ReportConversations>({
      conversations: [
        { clientId: 'a'.repeat(20), name: 'Ada', at: '2026-03-04T23:30:00.000Z', seconds: null },
      ],
      next: null,
    }),
  ),
  http.get(`${API}/suggestions/answered`, () =>
    HttpResponse.json({ pages: [], questions: { indexing: false, searched: 0, unanswered: 0, words: [] } }),
  ),
  http.get(`${API}/team`, () => HttpResponse.json({ admins: [] })),
  http.get(`${API}/sites`, () => HttpResponse.json({ sites: [] })),
)

beforeAll(() => server.listen({ onUnhandledFrame: 'error' }))
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setInterval', 'clearInterval'], now: Date.UTC(2026, 2, 4, 23, 50) })
  givePageState()
  withoutLayout()
  ranges.length = 0
  reads = 0
  waiting = NO_ONE
  useAuth.setState({ accessToken: 'token', user_Id: 'me', userName: 'me', roles: ['Admin'] })
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
  vi.useRealTimers()
  useAuth.setState(SIGNED_OUT)
})
afterAll(() => server.close())

function open(path: string): void {
  const source = { onNow: () => () => {}, isPushed: true, isPolled: false }
  const router = createMemoryRouter([{ path: '/', element: <ReportsPage source={source} /> }], {
    initialEntries: [path],
  })
  render(
    <QueryClientProvider client={createQueryClient()}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  )
}

it('begins a new day at midnight, also while nothing happens', async () => {
  open('/?days=7')
  await vi.waitFor(() => expect(ranges).toEqual(['2026-02-26 to 2026-03-04']))
  await vi.waitFor(() => expect(reads).toBe(1))
  await act(() => vi.advanceTimersByTimeAsync(5 * 60_000))
  expect(reads).toBe(1)
  await act(() => vi.advanceTimersByTimeAsync(10 * 60_000))
  await vi.waitFor(() => expect(ranges).toEqual(['2026-02-26 to 2026-03-04', '2026-02-27 to 2026-03-05']))
  await vi.waitFor(() => expect(reads).toBe(2))
  // One read for each day.
  await act(() => vi.advanceTimersByTimeAsync(60 * 60_000))
  expect(reads).toBe(2)
})

it('dates conversations by the zone of the report, as its days', async () => {
  open('/?days=7&zone=Pacific/Kiritimati')
  const missed = await screen.findByText('Missed', { selector: 'summary' })
  fireEvent.click(missed)
  const link = await screen.findByRole('link')
  expect(link.parentElement?.textContent).toMatch(/, Mar 5, 2026, 1:30\sPM$/)
})

it('names visitors as the list of conversations does, and by alias without a name', async () => {
  const since = '2026-03-04T23:40:00.000Z'
  const [first, second] = ['b'.repeat(20), 'c'.repeat(20)]
  waiting = {
    ...{ count: 2, longestSince: since },
    conversations: [
      { clientId: first, name: 'Ben', since },
      { clientId: second, name: null, since },
    ],
  }
  open('/?days=7')
  const list = await screen.findByRole('list', { name: 'Waiting longest' })
  const names = within(list).getAllByRole('link')
  expect(names.map(({ textContent }) => textContent)).toEqual(['Ben', aliasOf(second)])
  fireEvent.click(await screen.findByText('Missed', { selector: 'summary' }))
  const missed = await screen.findByRole('link', { name: 'Ada' })
  expect(missed.getAttribute('href')).toBe(`/dashboard/messages/${'a'.repeat(20)}`)
})

it('keeps a day while the next one is chosen at once', async () => {
  open('/?from=2026-02-01&to=2026-02-02')
  await screen.findByText('2026-02-01 to 2026-02-02, UTC')
  // Without `act`, which would wait for later renders.
  vi.stubGlobal('IS_REACT_ACT_ENVIRONMENT', false)
  for (const [label, day] of [
    ['From', '2020-02-01'],
    ['To', '2020-02-02'],
  ] as const) {
    const field = screen.getByLabelText<HTMLInputElement>(label)
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, day)
    field.dispatchEvent(new Event('input', { bubbles: true }))
    // The address changes in microtasks.
    for (let n = 0; n < 50; n++) await Promise.resolve()
  }
  await vi.waitFor(() => expect(ranges.at(-1)).toBe('2020-02-01 to 2020-02-02'))
})

it('names the days on paper, where the filters are missing', async () => {
  open('/?days=7&zone=UTC')
  const days = await screen.findByText('2026-02-26 to 2026-03-04, UTC')
  expect(days.className).toBe('report-note report-paper')
})

it('begins with four figures, and has the others in a table with the days before', async () => {
  open('/?days=7')
  const large = await screen.findByRole('list', { name: 'Figures' })
  const labels = ['Median first response time', 'Missed', 'New conversations', 'Rating, 1 to 5']
  expect(
    within(large)
      .getAllByRole('button')
      .map((button) => button.getAttribute('aria-label')),
  ).toEqual(labels.map((label) => `Definition: ${label}`))
  const table = screen.getByRole('table', { name: 'More figures' })
  const headings = within(table).getAllByRole('columnheader')
  expect(headings.map(({ textContent }) => textContent)).toEqual([
    'Figure',
    'This period',
    // The report of this test has two days.
    'Previous 2 days',
    'Change',
  ])
  const rows = within(table)
    .getAllByRole('rowheader')
    .map((cell) => cell.getAttribute('abbr'))
  expect(rows).toEqual([
    '90th percentile first response',
    'Median response time',
    'Messages from visitors',
    'Resolved',
    'Median time to resolve',
  ])
})
