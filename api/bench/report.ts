import { type Comparison, type Figure, type Finding, quantile, type Result } from './benchmark.ts'

interface Spread {
  median: number
  min: number
  max: number
}

/** What both outputs are made of. */
export interface Judged {
  benchmark: string
  what: string
  aim: string
  met: boolean | null
  ratio?: Spread
  subject?: Spread
  reference?: Spread
  unit?: string
  slices?: number
  value?: string
  against?: string
}

export function judge(benchmark: string, result: Result): Judged {
  if (result.kind === 'figure') return judgeFigure(benchmark, result)
  return result.kind === 'finding' ? judgeFinding(benchmark, result) : judgeComparison(benchmark, result)
}

function judgeFigure(benchmark: string, { what, value, against }: Figure): Judged {
  return { benchmark, what, value, against, aim: '', met: null }
}

function judgeFinding(benchmark: string, { what, value, aim, met }: Finding): Judged {
  return { benchmark, what, value, aim, met }
}

function judgeComparison(benchmark: string, { what, unit, subject, reference, aim }: Comparison): Judged {
  const ratio = spread(subject.map((value, slice) => value / (reference[slice] as number)))
  let aimText = ''
  let met: boolean | null = null
  if (aim !== undefined && 'atMost' in aim) {
    aimText = `<= ${aim.atMost}`
    met = ratio.median <= aim.atMost
  } else if (aim !== undefined) {
    aimText = `>= ${aim.atLeast}`
    met = ratio.median >= aim.atLeast
  }
  return {
    benchmark,
    what,
    aim: aimText,
    met,
    ratio,
    subject: spread(subject),
    reference: spread(reference),
    unit,
    slices: subject.length,
  }
}

function spread(values: number[]): Spread {
  return { median: quantile(values, 0.5), min: Math.min(...values), max: Math.max(...values) }
}

/** Lines of a Markdown table, so that the output can be pasted into a document. */
export const TABLE_HEAD = [
  '| | ratio (min to max) | aim | | measured | against |',
  '|---|---|---|---|---|---|',
].join('\n')

export function tableRow({
  what,
  aim,
  met,
  ratio,
  subject,
  reference,
  unit,
  value,
  against = '',
}: Judged): string {
  const verdict = met === null ? '' : met ? 'met' : 'MISSED'
  if (ratio === undefined) return `| ${what} | | ${aim} | ${verdict} | ${value} | ${against} |`
  const side = (of: Spread | undefined) => (of === undefined ? '' : `${short(of.median)} ${unit}`)
  const range = `**${ratio.median.toFixed(2)}** (${ratio.min.toFixed(2)} to ${ratio.max.toFixed(2)})`
  return `| ${what} | ${range} | ${aim} | ${verdict} | ${side(subject)} | ${side(reference)} |`
}

/** Three digits that count. */
function short(value: number): string {
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value) || 1)))
  return value.toLocaleString('en', { maximumFractionDigits: digits })
}
