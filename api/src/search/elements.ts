import { type Folded, foldText } from '@proctorpass/shared/fold'
import { type Run, runsIn, termsOfRuns } from '@proctorpass/shared/tokenizer'

/**
 * The unit by which a text or a query is compared: one run, or several numbers that follow each other, because people
 * write "1,500.00" and "1500", "+1 (415) 555-0132" and "14155550132".
 */
export interface Element extends Pick<Run, 'kind' | 'text'> {
  /** The element's runs, of which only a number has several. */
  runs: readonly [Run, ...Run[]]
}

/** How many digits a gram has. A number's digits, starting at each of them, are found without their separators. */
export const GRAM_LENGTH = 6
/** Numbers with fewer digits than this are found only by their beginning. */
export const INSIDE_FROM = 4
/** The prefix of a gram, which no other term has. */
const GRAM = '#'

export function elementsOf({ text }: Pick<Folded, 'text'>, runs = runsIn({ text })): Element[] {
  const elements: (Element & { runs: [Run, ...Run[]] })[] = []
  for (const [index, run] of runs.entries()) {
    if (isTrunkZero(text, run, [runs[index - 1], runs[index + 1]])) continue
    const last = elements.at(-1)
    if (run.kind === 'number' && last?.kind === 'number') last.runs.push(run)
    else elements.push({ kind: run.kind, text: run.text, runs: [run] })
  }
  for (const element of elements) {
    if (element.runs.length > 1) element.text = element.runs.map((run) => run.text).join('')
  }
  return elements
}

/** Whether the run is the zero in "+49 (0)30 1234". People dial either this zero or the country's number. */
function isTrunkZero(text: string, run: Run, [before, after]: [Run | undefined, Run | undefined]): boolean {
  if (run.text !== '0' || before?.kind !== 'number' || after?.kind !== 'number') return false
  return /^ ?\(0\) ?$/.test(text.slice(before.end, after.start))
}

/** Returns the terms under which a text is indexed, each once: at most about one for each of the text's characters. */
export function indexTermsOf(text: string): string[] {
  const folded = { text: foldText(text) }
  const runs = runsIn(folded)
  const terms = new Set(termsOfRuns(runs))
  for (const element of elementsOf(folded, runs)) {
    if (element.kind === 'number') for (const gram of gramsOf(element)) terms.add(gram)
  }
  return [...terms]
}

function* gramsOf({ text, runs }: Element): Iterable<string> {
  if (text.length >= INSIDE_FROM) {
    for (let at = 0; at < text.length; at++) yield gramAt(text, at)
    return
  }
  let at = 0
  for (const run of runs) {
    yield gramAt(text, at)
    at += run.text.length
  }
}

const gramAt = (digits: string, at: number): string => GRAM + digits.slice(at, at + GRAM_LENGTH)

/** Returns the grams that every number has that contains these digits. */
export function gramsToFind(digits: string): { whole: string[]; beginning: string[] } {
  const grams = Math.max(0, digits.length - GRAM_LENGTH + 1)
  if (grams === 0) return { whole: [], beginning: digits === '' ? [] : [GRAM + digits] }
  return { whole: Array.from({ length: grams }, (_, at) => gramAt(digits, at)), beginning: [] }
}
