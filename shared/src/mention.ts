/** Returns whether `@userName` stands in the text as a whole word. */
export function isMentioned(userName: string, text: string): boolean {
  const lower = fold(text)
  const mention = `@${fold(userName)}`
  for (let at = lower.indexOf(mention); at >= 0; at = lower.indexOf(mention, at + 1)) {
    // Each side needs only one character, of up to two units: checking more would make a long note's cost grow with
    // the square of its length.
    const before = lower.slice(Math.max(0, at - 2), at)
    const after = lower.slice(at + mention.length, at + mention.length + 2)
    if (!/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}_-]/u.test(after)) return true
  }
  return false
}

const fold = (text: string) => text.normalize('NFKC').toLowerCase()
