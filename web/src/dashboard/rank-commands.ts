import type { PageCommand } from './ui/shortcuts.ts'

/** Returns the commands that match the text, best first. An empty text returns all of them. */
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

function costOf(label: string, words: readonly string[]): number {
  return words.reduce((sum, word) => sum + wordCost(label, word), 0)
}

/**
 * Returns the cost of a match: lowest at the label's beginning, then at a word's beginning, then anywhere, and then for
 * letters in order with others between them.
 */
function wordCost(label: string, word: string): number {
  const at = label.indexOf(word)
  if (at === 0) return 0
  if (label.includes(` ${word}`)) return 1
  if (at > 0) return 2
  let end = -1
  for (const letter of word) {
    end = label.indexOf(letter, end + 1)
    if (end < 0) return Number.POSITIVE_INFINITY
  }
  return 3 + end / label.length
}
