import type { Report } from '@proctorpass/shared/schemas/report'
import { useState } from 'react'
import { FIGURES, type Figure } from './figures.ts'
import { HeatMap } from './heat-map.tsx'
import { LinePlot } from './line-plot.tsx'
import { DayTable, Folded, HeatTable } from './tables.tsx'
import './charts.css'

/** Shows a figure by day and the messages by hour, each with its table. */
export function Charts({ report: { days, previous, heat } }: { report: Report }) {
  const [name, setName] = useState('first-wait')
  const figure = FIGURES.find((each) => each.name === name) ?? (FIGURES[0] as Figure)
  return (
    <div className="report-plots">
      <section className="report-plot" aria-labelledby="report-by-day">
        <header>
          <h2 id="report-by-day">By day</h2>
          <div className="field report-choice">
            <label className="visually-hidden" htmlFor="report-figure">
              Figure
            </label>
            <select id="report-figure" value={name} onChange={(event) => setName(event.target.value)}>
              {FIGURES.map((each) => (
                <option key={each.name} value={each.name}>
                  {each.label}
                </option>
              ))}
            </select>
          </div>
        </header>
        <LinePlot figure={figure} days={days} before={previous.days} />
        <Folded summary="View as table">
          <DayTable figure={figure} days={days} before={previous.days} />
        </Folded>
      </section>
      <section className="report-plot" aria-labelledby="report-hours">
        <header>
          <h2 id="report-hours">When visitors write</h2>
        </header>
        <HeatMap heat={heat} />
        <Folded summary="View hours as table">
          <HeatTable heat={heat} />
        </Folded>
      </section>
    </div>
  )
}
