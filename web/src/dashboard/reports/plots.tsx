import type { Report } from '@proctorpass/shared/schemas/report'
import type { Figure } from './figures.ts'
import { dayText, hourText, shortDayText, spanText, WEEKDAYS } from './report-text.ts'

const WIDTH = 720
const HEIGHT = 200
/** The margin has room for text on phones, which is larger. */
const LEFT = 92
const BOTTOM = 24
const TOP = 12

/** Draws a line over the days. Days without a value leave a gap. The table below has the same numbers. */
export function LinePlot({ figure, days }: { figure: Figure; days: Report['days'] }) {
  const values = days.map(figure.value)
  const max = Math.max(1, ...values.map((value) => value ?? 0))
  const x = (index: number) => LEFT + (index / Math.max(1, days.length - 1)) * (WIDTH - LEFT - 12)
  const y = (value: number) => TOP + (1 - value / max) * (HEIGHT - TOP - BOTTOM)
  const points = values.flatMap((value, index) => (value === null ? [] : [{ value, index }]))
  const path = points
    .map(({ value, index }) => `${values[index - 1] == null ? 'M' : 'L'}${x(index)} ${y(value)}`)
    .join('')
  const ticks = [0, max / 2, max]
  const labelled = [0, Math.floor((days.length - 1) / 2), days.length - 1]
  return (
    <svg
      className="report-line"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={`${figure.label} by day. The same numbers are in the table below.`}
    >
      {ticks.map((tick) => (
        <g key={tick}>
          <path className="report-grid" d={`M${LEFT} ${y(tick)}H${WIDTH}`} />
          <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end">
            {figure
              .text(tick === 0 ? 0 : Number.isInteger(max) && max < 3 ? tick : Math.round(tick))
              .replace('under 1 s', '0')}
          </text>
        </g>
      ))}
      {[...new Set(labelled)].map((index) => (
        <text
          key={index}
          x={x(index)}
          y={HEIGHT - 4}
          textAnchor={index === 0 ? 'start' : index === days.length - 1 ? 'end' : 'middle'}
        >
          {shortDayText(days[index]?.date ?? '')}
        </text>
      ))}
      <path className="report-area" d={areaOf(values, x, y)} />
      <path className="report-path" d={path} />
      {points.map(({ value, index }) => (
        <circle
          key={index}
          className="report-point"
          cx={x(index)}
          cy={y(value)}
          r={days.length > 60 ? 2 : 3.5}
        >
          <title>{`${dayText(days[index]?.date ?? '')}: ${figure.text(value)}`}</title>
        </circle>
      ))}
    </svg>
  )
}

/** Returns the area below each unbroken part of the line. */
function areaOf(
  values: readonly (number | null)[],
  x: (index: number) => number,
  y: (value: number) => number,
): string {
  let path = ''
  values.forEach((value, index) => {
    if (value === null) return
    path += values[index - 1] == null ? `M${x(index)} ${y(0)}V${y(value)}` : `L${x(index)} ${y(value)}`
    if (values[index + 1] == null) path += `V${y(0)}Z`
  })
  return path
}

const CELL = 28
/** The style sheet has this many steps from few to many. */
const STEPS = 5

/** Draws larger numbers darker. The title of each cell and the table below have its number. */
export function HeatMap({ heat }: { heat: Report['heat'] }) {
  const max = Math.max(1, ...heat.flat())
  return (
    <svg
      className="report-heat"
      viewBox={`0 0 ${48 + 24 * CELL} ${20 + 7 * CELL}`}
      role="img"
      aria-label="Messages from visitors by weekday and hour. The same numbers are in the table below."
    >
      {Array.from({ length: 8 }, (_, index) => index * 3).map((hour) => (
        <text key={hour} x={48 + hour * CELL + 2} y={12}>
          {hourText(hour)}
        </text>
      ))}
      {heat.map((hours, day) => (
        <g key={WEEKDAYS[day]}>
          <text x={40} y={20 + day * CELL + 18} textAnchor="end">
            {WEEKDAYS[day]?.slice(0, 3)}
          </text>
          {hours.map((count, hour) => (
            <rect
              key={hour}
              className="report-cell"
              data-step={Math.ceil((count / max) * STEPS)}
              x={48 + hour * CELL}
              y={20 + day * CELL}
              width={CELL - 3}
              height={CELL - 3}
              rx={4}
            >
              <title>{`${WEEKDAYS[day]}, ${spanText(hour, hour + 1, 'to')}: ${count}`}</title>
            </rect>
          ))}
        </g>
      ))}
    </svg>
  )
}

/** Shows the heat map's colors. Screen readers have the table instead. */
export function HeatLegend() {
  return (
    <p className="report-note report-legend" aria-hidden="true">
      Few
      <svg viewBox={`0 0 ${(STEPS + 1) * 16} 13`} aria-hidden="true">
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
