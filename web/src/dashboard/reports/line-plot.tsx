import type { Report } from '@proctorpass/shared/schemas/report'
import { Chart, type Size } from './chart.tsx'
import { spread, ticksOf, tickText } from './chart-scale.ts'
import { type Figure, wordsOf } from './figures.ts'
import { briefDayText, dayText, earlierText, previousHeading, shortDayText } from './report-text.ts'

type Days = Report['days']
type Values = readonly (number | null)[]

/** Room for the dots, in pixels. */
const TOP = 8
const RIGHT = 6
const DOT = 4

interface LinePlotProps {
  figure: Figure
  days: Days
  /** As many days before, or none. */
  before: Days
}

/**
 * Draws a line over the days, and a dashed one with the days before. Days without a value leave a gap. The table below
 * has the same numbers.
 */
export function LinePlot({ figure, days, before }: LinePlotProps) {
  const values = days.map(figure.value)
  const valuesBefore = before.map(figure.value)
  const known = [...values, ...valuesBefore].filter((value) => value !== null)
  const ticks = known.length > 0 ? ticksOf(Math.max(...known), figure.unit) : []
  const scaleOf = (size: Size) =>
    scale(size, { ticks: ticks.map((tick) => tickText(tick, figure.unit)), count: days.length })

  return (
    <div className="report-drawing">
      <Legend days={days.length} />
      <Chart
        label={`${figure.label}, day by day`}
        hint="The left and right arrow keys move through the days. Home and End lead to the first and the last one."
        drawing={`${figure.label} by day. The same numbers are in the table below.`}
        count={days.length}
        columns={days.length}
        valueAt={({ x }, size) => scaleOf(size).dayAt(x)}
        above={(index, size) => ({ x: scaleOf(size).x(index), y: TOP })}
        readout={(index) => <DayReadout figure={figure} day={days[index]} before={before[index]} />}
        text={(index) => textOf(figure, days, before, index)}
      >
        {(size, marked) => {
          const { x, left, bottom, xLabels } = scaleOf(size)
          const [lowest = 0, highest = 1] = [ticks[0], ticks.at(-1)]
          const y = (value: number) => TOP + ((highest - value) / (highest - lowest)) * (bottom - TOP)
          return (
            <>
              {ticks.map((tick) => (
                <g key={tick}>
                  <path className="report-grid" d={`M${left} ${y(tick)}H${size.width}`} />
                  <text x={left - size.em * 0.6} y={y(tick) + size.em * 0.35} textAnchor="end">
                    {tickText(tick, figure.unit)}
                  </text>
                </g>
              ))}
              {xLabels.map((index) => (
                <text
                  key={index}
                  x={x(index)}
                  y={size.height - size.em * 0.3}
                  textAnchor={
                    days.length === 1
                      ? 'middle'
                      : index === 0
                        ? 'start'
                        : index === days.length - 1
                          ? 'end'
                          : 'middle'
                  }
                >
                  {shortDayText(days[index]?.date ?? '')}
                </text>
              ))}
              <path className="report-area" d={areaOf(values, x, y, bottom)} />
              <Line className="report-before" values={valuesBefore} x={x} y={y} />
              <Line className="report-path" values={values} x={x} y={y} />
              <Dot className="report-point" values={values} index={values.length - 1} x={x} y={y} />
              {marked !== null && (
                <>
                  <path className="report-cursor" d={`M${x(marked)} ${TOP}V${bottom}`} />
                  <Dot className="report-point-before" values={valuesBefore} index={marked} x={x} y={y} />
                  <Dot className="report-point" values={values} index={marked} x={x} y={y} />
                </>
              )}
            </>
          )
        }}
      </Chart>
      {values.every((value) => value === null) && (
        <p className="report-empty">{`No day has enough ${figure.counted ?? 'value'}s.`}</p>
      )}
    </div>
  )
}

/** Where the days are, beside the words of the axis. */
function scale({ width, height, em }: Size, { ticks, count }: { ticks: readonly string[]; count: number }) {
  const left = Math.ceil(Math.max(0, ...ticks.map(({ length }) => length)) * em * 0.56 + em * 0.8)
  const room = Math.max(1, width - left - RIGHT - DOT)
  const x = (index: number) => left + DOT + (count < 2 ? room / 2 : (index / (count - 1)) * room)
  return {
    left,
    x,
    bottom: height - em * 1.8,
    xLabels: spread(count, Math.floor(room / (em * 6))),
    dayAt: (at: number) => Math.max(0, Math.min(count - 1, Math.round(((at - x(0)) / room) * (count - 1)))),
  }
}

interface LineProps {
  className: string
  values: Values
  x: (index: number) => number
  y: (value: number) => number
}

/** A day between two gaps is a dot. */
function Line({ className, values, x, y }: LineProps) {
  let path = ''
  const alone: number[] = []
  values.forEach((value, index) => {
    if (value === null) return
    const isFirst = values[index - 1] == null
    path += `${isFirst ? 'M' : 'L'}${x(index)} ${y(value)}`
    if (isFirst && values[index + 1] == null) alone.push(index)
  })
  return (
    <>
      <path className={className} d={path} />
      {alone.map((index) => (
        <circle key={index} className={className} cx={x(index)} cy={y(values[index] ?? 0)} r={2} />
      ))}
    </>
  )
}

function Dot({ className, values, index, x, y }: LineProps & { index: number }) {
  const value = values[index] ?? null
  return value === null ? null : <circle className={className} cx={x(index)} cy={y(value)} r={DOT} />
}

/** Returns the area below each unbroken part of the line. */
function areaOf(values: Values, x: LineProps['x'], y: LineProps['y'], bottom: number): string {
  let path = ''
  values.forEach((value, index) => {
    if (value === null) return
    path += values[index - 1] == null ? `M${x(index)} ${bottom}V${y(value)}` : `L${x(index)} ${y(value)}`
    if (values[index + 1] == null) path += `V${bottom}Z`
  })
  return path
}

function textOf(figure: Figure, days: Days, before: Days, index: number): string {
  const [day, past] = [days[index], before[index]]
  if (day === undefined) return ''
  const words = `${dayText(day.date)}: ${wordsOf(figure, day)}.`
  return past ? `${words} ${earlierText(days.length)}: ${wordsOf(figure, past)}.` : words
}

function Legend({ days }: { days: number }) {
  return (
    <p className="report-legend">
      <span>
        <Key /> This period
      </span>
      <span>
        <Key isBefore /> {previousHeading(days)}
      </span>
    </p>
  )
}

/** A piece of the line. */
function Key({ isBefore = false }) {
  return (
    <svg className="report-key" viewBox="0 0 16 8" aria-hidden="true">
      <path className={isBefore ? 'report-before' : 'report-path'} d="M0 4H16" />
    </svg>
  )
}

function DayReadout({
  figure,
  day,
  before,
}: {
  figure: Figure
  day: Days[number] | undefined
  before: Days[number] | undefined
}) {
  const needsYear = before !== undefined && day?.date.slice(0, 4) !== before.date.slice(0, 4)
  return (
    <dl>
      {[day, before].map((of, index) =>
        of === undefined ? null : (
          <div key={of.date}>
            <dt>
              <Key isBefore={index === 1} /> {briefDayText(of.date, needsYear)}
            </dt>
            <dd>{wordsOf(figure, of)}</dd>
          </div>
        ),
      )}
    </dl>
  )
}
