import type { Report } from '@proctorpass/shared/schemas/report'
import { Chart, type Size } from './chart.tsx'
import { countText, hourText, spanText, WEEKDAYS } from './report-text.ts'

const HOURS = 24
/** The style sheet has this many steps from few to many. */
const STEPS = 5

/** Draws larger numbers darker. The table below has the same numbers. */
export function HeatMap({ heat }: Pick<Report, 'heat'>) {
  const counts = heat.flat()
  const max = Math.max(1, ...counts)
  return (
    <div className="report-drawing">
      <Legend />
      <Chart
        label="Messages from visitors, hour by hour"
        hint="The arrow keys move through the weekdays and the hours. Home and End lead to the weekday's first and last hour."
        drawing="Messages from visitors by weekday and hour. The same numbers are in the table below."
        count={counts.length}
        columns={HOURS}
        valueAt={({ x, y }, size) => {
          const { left, cell, row } = grid(size)
          const [hour, day] = [Math.floor((x - left) / cell), Math.floor(y / row)]
          const isInside = hour >= 0 && hour < HOURS && day >= 0 && day < WEEKDAYS.length
          return isInside ? day * HOURS + hour : null
        }}
        above={(index, size) => {
          const { left, cell, row } = grid(size)
          return { x: left + ((index % HOURS) + 0.5) * cell, y: Math.floor(index / HOURS) * row }
        }}
        readout={(index) => (
          <dl>
            <div>
              <dt>{hoursOf(index)}</dt>
              <dd>{countText(counts[index] ?? 0, 'message')}</dd>
            </div>
          </dl>
        )}
        text={(index) => `${hoursOf(index)}: ${countText(counts[index] ?? 0, 'message')}.`}
      >
        {(size, marked) => {
          const { left, cell, row, gap, each } = grid(size)
          return (
            <>
              {WEEKDAYS.map((weekday, day) => (
                <text key={weekday} x={0} y={(day + 0.5) * row + size.em * 0.35 - gap / 2}>
                  {weekday.slice(0, 3)}
                </text>
              ))}
              {counts.map((count, index) => (
                <rect
                  key={index}
                  className="report-cell"
                  data-step={Math.ceil((count / max) * STEPS)}
                  data-marked={index === marked || undefined}
                  x={left + (index % HOURS) * cell}
                  y={Math.floor(index / HOURS) * row}
                  width={cell - gap}
                  height={row - gap}
                  rx={3}
                />
              ))}
              {Array.from({ length: HOURS / each }, (_, index) => index * each).map((hour) => (
                <text key={hour} x={left + hour * cell} y={size.height - size.em * 0.3}>
                  {hourText(hour)}
                </text>
              ))}
            </>
          )
        }}
      </Chart>
    </div>
  )
}

function grid({ width, height, em }: Size) {
  const left = em * 2.8
  const cell = Math.max(2, width - left) / HOURS
  return {
    left,
    cell,
    row: (height - em * 1.8) / WEEKDAYS.length,
    gap: cell < 16 ? 1.5 : 3,
    // As many hours between two words as the words need.
    each: [3, 6, 12].find((hours) => hours * cell > em * 3.6) ?? HOURS,
  }
}

/** Returns `Tuesday, 1 to 2 PM`. */
function hoursOf(index: number): string {
  const hour = index % HOURS
  return `${WEEKDAYS[Math.floor(index / HOURS)]}, ${spanText(hour, hour + 1, 'to')}`
}

/** Shows the colors. Screen readers have the table instead. */
function Legend() {
  return (
    <p className="report-legend" aria-hidden="true">
      Few
      <svg className="report-steps" viewBox={`0 0 ${(STEPS + 1) * 16} 13`} aria-hidden="true">
        {Array.from({ length: STEPS + 1 }, (_, step) => (
          <rect
            key={step}
            className="report-cell"
            data-step={step}
            x={step * 16}
            width={13}
            height={13}
            rx={3}
          />
        ))}
      </svg>
      Many
    </p>
  )
}
