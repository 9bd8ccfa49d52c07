import type { PageCommand } from './ui/shortcuts.ts'

/**
 * Returns the commands that match the text, best first: by the beginning of the label or of a word, then by a part of a
 * word, and then by letters in order with others between them. An empty text returns all of them.
 */
export function rankCommands<T extends Pick<PageCommand, 'label'>>(
  commands: readonly T[],
  typed: string,
): T[] {
  return commands
    .map((command) => ({ command, match: matchOf(command.label, typed) }))
    .filter(({ match }) => match.cost < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.match.cost - b.match.cost)
    .map(({ command }) => command)
}

/** Returns whether the label has one of the typed words only as letters with others between them. */
export const isScattered = (label: string, typed: string): boolean => matchOf(label, typed).cost >= SCATTERED

/** Splits a label into the parts that the text found and the parts between them. */
export function foundParts(label: string, typed: string): { text: string; isFound: boolean }[] {
  const { letters } = matchOf(label, typed)
  const parts: { text: string; isFound: boolean }[] = []
  for (const [index, letter] of label.split('').entries()) {
    const isFound = letters.has(index)
    const last = parts.at(-1)
    if (last?.isFound === isFound) last.text += letter
    else parts.push({ text: letter, isFound })
  }
  return parts
}

/** What a match of one typed word costs. Scattered letters cost more than any number of whole words. */
const AT_START = 0
const AT_WORD = 1
const INSIDE = 2
const SCATTERED = 100

interface Match {
  cost: number
  /** The places of the found letters. */
  letters: Set<number>
}

function matchOf(text: string, typed: string): Match {
  const label = text.toLowerCase()
  const sum: Match = { cost: 0, letters: new Set() }
  for (const word of typed.toLowerCase().split(/\s+/).filter(Boolean)) {
    const { cost, letters } = matchOfWord(label, word)
    sum.cost += cost
    for (const letter of letters) sum.letters.add(letter)
  }
  return sum
}

function matchOfWord(label: string, word: string): Match {
  const first = label.indexOf(word)
  if (first < 0) return scattered(label, word)
  const run = (from: number) => new Set(Array.from(word.split(''), (_, index) => from + index))
  if (first === 0) return { cost: AT_START, letters: run(0) }
  for (let at = first; at > 0; at = label.indexOf(word, at + 1))
    if (!IN_WORD.test(label.slice(0, at))) return { cost: AT_WORD, letters: run(at) }
  return { cost: INSIDE, letters: run(first) }
}

function scattered(label: string, word: string): Match {
  const letters = new Set<number>()
  let end = -1
  for (const letter of word) {
    end = label.indexOf(letter, end + 1)
    if (end < 0) return { cost: Number.POSITIVE_INFINITY, letters: new Set() }
    letters.add(end)
  }
  return { cost: SCATTERED + end / label.length, letters }
}

/** Matches a text that ends inside a word. */
const IN_WORD = /[\p{L}\p{M}\p{N}]$/u
