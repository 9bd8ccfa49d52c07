import { type Element, elementsOf, INSIDE_FROM } from './elements.ts'
import type { Part } from './match.ts'

/** Cents are left out of an amount with at least this many digits. "5.00" is more likely a time or a version. */
const AMOUNT_FROM = 3

/** Creates a part from `text`, which is a folded word or phrase. */
export function partOf(text: string, beginning: boolean): Part {
  const elements = elementsOf({ text })
  const size = elements.reduce((sum, element) => sum + element.text.length, 0)
  const part = { elements, beginning, exact: size < INSIDE_FROM, zeros: 0, amount: false, separately: [] }
  const last = elements.at(-1)
  if (last?.kind !== 'number') return part
  const amount = withoutCents(text, last)
  const dialed = elements.length === 1 ? amount.replace(/^0+(?=\d{7})/, '') : amount
  return {
    ...part,
    elements: elements.with(-1, { ...last, text: dialed }),
    // "1,500.00" is not the beginning of "15000".
    beginning: beginning && amount === last.text,
    zeros: amount.length - dialed.length,
    amount: amount !== last.text,
  }
}

/** Returns a number's digits without zero cents at the end: "1.250,00" becomes 1250. */
function withoutCents(text: string, { text: digits, runs }: Element): string {
  const [before, cents] = [runs.at(-2), runs.at(-1)]
  if (before === undefined || cents?.text.length !== 2) return digits
  if (!/^[.,]$/.test(text.slice(before.end, cents.start))) return digits
  const amount = digits.slice(0, -2) + cents.text.replace(/0{1,2}$/, '')
  // Several numbers are one number only if it is long enough to be found inside another.
  return amount.length >= (text.includes(' ') ? INSIDE_FROM : AMOUNT_FROM) ? amount : digits
}
