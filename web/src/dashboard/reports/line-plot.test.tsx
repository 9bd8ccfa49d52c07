import type { Report, ReportFigures } from '@proctorpass/shared/schemas/report'
import { cleanup, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { withoutLayout } from '../../testing/no-layout.ts'
import { FIGURES, type Figure } from './figures.ts'
import { HeatMap } from './heat-map.tsx'
import { LinePlot } from './line-plot.tsx'
import { DayTable } from './tables.tsx'

const NONE = { n: 0, median: null, p90: null }
const EMPTY: ReportFigures = {
  ...{ conversations: 0, episodes: 0, resolved: 0, missed: 0, messagesIn: 0, messagesOut: 0 },
  ...{ firstWait: NONE, wait: NONE, resolution: NONE },
  ratings: { n: 0, mean: null, scores: [0, 0, 0, 0, 0] },
}
const figure = FIGURES[0] as Figure

/** Days with these medians, or with too few answers (null). */
function daysOf(dates: string[], medians: (number | null)[]): Report['days'] {
  return dates.map((date, index) => {
    const median = medians[index] ?? null
    return { date, ...EMPTY, firstWait: median === null ? { ...NONE, n: 2 } : { n: 9, median, p90: median } }
  })
}

const days = daysOf(['2026-03-02', '2026-03-03', '2026-03-04'], [600, null, 300])
const before = daysOf(['2026-02-27', '2026-02-28', '2026-03-01'], [240, 480, null])
const readout = () => document.querySelector('.report-readout')?.textContent ?? null

beforeEach(() => withoutLayout())
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

it('reads a day and the one before with the keys, and announces them', async () => {
  const user = userEvent.setup()
  render(<LinePlot figure={figure} days={days} before={before} />)
  expect(readout()).toBeNull()
  await user.tab()
  expect(document.activeElement).toBe(screen.getByRole('application'))
  const status = screen.getByRole('status')
  expect(status.textContent).toBe('Wednesday, March 4: 5 min. 3 days earlier: too few answers.')
  await user.keyboard('{ArrowLeft}')
  expect(status.textContent).toBe('Tuesday, March 3: too few answers. 3 days earlier: 8 min.')
  await user.keyboard('{Home}{ArrowLeft}')
  expect(status.textContent).toBe('Monday, March 2: 10 min. 3 days earlier: 4 min.')
  expect(readout()).toBe(' Mon, Mar 210 min Fri, Feb 274 min')
  await user.keyboard('{Escape}')
  expect(readout()).toBeNull()
  // It goes on where it was.
  await user.keyboard('{ArrowRight}')
  expect(status.textContent).toMatch(/^Tuesday/)
  await user.keyboard('{End}{ArrowRight}')
  expect(status.textContent).toMatch(/^Wednesday/)
  await user.tab()
  expect(readout()).toBeNull()
})

it('shows the day under the pointer without announcing it, and a touched one until another touch', () => {
  render(<LinePlot figure={figure} days={days} before={before} />)
  const chart = screen.getByRole('application')
  fireEvent.pointerMove(chart, { clientX: 636, clientY: 50, pointerType: 'mouse' })
  expect(readout()).toMatch(/^ Wed, Mar 4/)
  expect(screen.getByRole('status').textContent).toBe('')
  fireEvent.pointerLeave(chart, { pointerType: 'mouse' })
  expect(readout()).toBeNull()
  fireEvent.pointerDown(chart, { clientX: 0, clientY: 50, pointerType: 'touch' })
  fireEvent.pointerLeave(chart, { pointerType: 'touch' })
  expect(readout()).toMatch(/^ Mon, Mar 2/)
  fireEvent.pointerDown(document.body, { pointerType: 'touch' })
  expect(readout()).toBeNull()
})

it('draws days without a value as a gap, and says if there are no values', () => {
  const { container, rerender } = render(<LinePlot figure={figure} days={days} before={before} />)
  expect(container.querySelectorAll('svg circle.report-path')).toHaveLength(2)
  expect(container.querySelector('.report-canvas path.report-before')?.getAttribute('d')).toMatch(
    /^M[^M]*L[^M]*$/,
  )
  const none = daysOf(['2026-03-02'], [])
  rerender(<LinePlot figure={figure} days={none} before={[]} />)
  expect(screen.getByText('No day has enough answers.')).toBeTruthy()
  expect(container.textContent).not.toContain('1 s')
})

it('names the years where they differ', () => {
  const [day, past] = [daysOf(['2026-01-01'], [60]), daysOf(['2025-12-31'], [60])]
  render(<LinePlot figure={figure} days={day} before={past} />)
  fireEvent.focus(screen.getByRole('application'))
  expect(readout()).toBe(' Thu, Jan 1, 202660 s Wed, Dec 31, 202560 s')
})

it('moves through the hours and the weekdays', async () => {
  const heat = Array.from({ length: 7 }, (_, day) =>
    Array.from({ length: 24 }, (_, hour) => day * 100 + hour),
  )
  const user = userEvent.setup()
  render(<HeatMap heat={heat} />)
  await user.tab()
  const status = screen.getByRole('status')
  expect(status.textContent).toBe('Sunday, 11 PM to midnight: 623 messages.')
  await user.keyboard('{ArrowDown}{ArrowRight}{ArrowUp}{Home}')
  expect(status.textContent).toBe('Saturday, midnight to 1 AM: 500 messages.')
  await user.keyboard('{ArrowLeft}{ArrowRight}')
  expect(status.textContent).toBe('Saturday, 1 to 2 AM: 501 messages.')
  await user.keyboard('{End}')
  expect(status.textContent).toBe('Saturday, 11 PM to midnight: 523 messages.')
})

it('has the values of both lines in its table', () => {
  render(<DayTable figure={figure} days={days} before={before} />)
  const cells = screen.getAllByRole('row').map((row) => [...row.children].map((cell) => cell.textContent))
  expect(cells[0]).toEqual(['Day', 'Median first response time', 'Answers', 'Previous 3 days'])
  expect(cells[2]).toEqual(['Tuesday, March 3', '–', '2', '8 min (Feb 28)'])
})
