import type { Report } from '@proctorpass/shared/schemas/report'
import { Card, Definition } from './card.tsx'
import { FIGURES, type Figure } from './figures.ts'
import { changeText, countText, previousHeading, previousText } from './report-text.ts'

const LARGE = FIGURES.filter(({ isLarge }) => isLarge)
const OTHERS = FIGURES.filter(({ isLarge }) => !isLarge)

/** Shows what matters most in large type, with the change. */
export function LargeFigures({ report: { totals, previous, days } }: { report: Report }) {
  return (
    <ul className="report-cards report-large" aria-label="Figures">
      {LARGE.map((figure) => {
        const value = figure.value(totals)
        const change = changeText(value, figure.value(previous))
        return (
          <Card
            key={figure.name}
            label={figure.label}
            value={figure.text(value)}
            note={change === null ? 'nothing to compare with' : `${change} from ${previousText(days.length)}`}
            count={sizeOf(figure, totals)}
            definition={figure.definition}
          />
        )
      })}
    </ul>
  )
}

/** Shows the other figures beside those of the days before. */
export function FigureTable({ report: { totals, previous, days } }: { report: Report }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: large text makes it scroll
    <section className="report-table report-others" tabIndex={0} aria-label="More figures">
      <table>
        <caption className="visually-hidden">More figures</caption>
        <thead>
          <tr>
            <th scope="col">Figure</th>
            <th scope="col">This period</th>
            <th scope="col">{previousHeading(days.length)}</th>
            <th scope="col">Change</th>
          </tr>
        </thead>
        <tbody>
          {OTHERS.map((figure) => {
            const [value, before] = [figure.value(totals), figure.value(previous)]
            return (
              <tr key={figure.name}>
                <th scope="row" abbr={figure.label}>
                  <div className="report-card-label">
                    <span>{figure.label}</span>
                    <Definition label={figure.label} definition={figure.definition} />
                  </div>
                  {figure.n && <p className="report-note">{sizeOf(figure, totals)}</p>}
                </th>
                <td>{figure.text(value)}</td>
                <td>{figure.text(before)}</td>
                <td>{changeText(value, before) ?? '–'}</td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** Returns `428 answers`. Counts have no such number. */
function sizeOf({ n, counted }: Figure, totals: Report['totals']): string | undefined {
  return n && countText(n(totals), counted ?? '')
}
