import type { PageCommand } from './ui/shortcuts.ts'

/**
 * Returns the commands that match the text, best first: by the beginning of the label or of a word, then by a part of a
 * word, and then by letters in order with others between them. An empty text returns all of them.
 */
export function rankCommands<T extends Pick<PageCommand, 'label'>>(
  commands: readonly T[],
  typed: string,
): T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean)
  return commands
    .map((command) => ({ command, cost: costOf(command.label.toLowerCase(), words) }))
    .filter(({ cost }) => cost < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.cost - b.cost)
    .map(({ command }) => command)
}

/** What a match of one typed word costs. Scattered letters cost more than any number of whole words. */
const AT_START = 0
const AT_WORD = 1
const INSIDE = 2
const SCATTERED = 100

function costOf(label: string, words: readonly string[]): number {
  return words.reduce((sum, word) => sum + wordCost(label, word), 0)
}

function wordCost(label: string, word: string): number {
  let at = label.indexOf(word)
  if (at === 0) return AT_START
  if (at > 0) {
    for (; at > 0; at = label.indexOf(word, at + 1)) if (!IN_WORD.test(label.slice(0, at))) return AT_WORD
    return INSIDE
  }
  let end = -1
  for (const letter of word) {
    end = label.indexOf(letter, end + 1)
    if (end < 0) return Number.POSITIVE_INFINITY
  }
  return SCATTERED + end / label.length
}

/** Matches a text that ends inside a word. */
const IN_WORD = /[\p{L}\p{M}\p{N}]$/u
