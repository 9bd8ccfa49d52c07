import EmailReplyParser from 'email-reply-parser'

/** The line before a quote that the parser does not know, such as that of Gmail in Chinese. */
const QUOTE_HEADER = /^.{1,300}(?:写道|寫道|来信|wrote|schrieb|écrit)\s?[:：]$/
/** Keeps the parser from taking text that begins with 在 for the line before a quote, up to the next 写道. */
const GUARD = '\u2060'

/**
 * What a person wrote, without what their mail program added: quotes and signatures are in `quoted`. Nothing is lost: a
 * mail that is nothing but quotes is text.
 */
export function replyText(whole: string): { text: string; quoted: string } {
  const guarded = guardedLines(whole.replaceAll(GUARD, '').split('\n')).join('\n')
  const fragments = new EmailReplyParser().read(guarded).getFragments()
  const shown: string[] = []
  const hidden: string[] = []
  for (const fragment of fragments) {
    const content = fragment.getContent().replaceAll(GUARD, '')
    if (!fragment.isHidden()) {
      shown.push(content)
      continue
    }
    if (fragment.isQuoted()) moveHeader(shown, hidden)
    hidden.push(content)
  }
  const text = clean(shown.join('\n'))
  return text === '' ? { text: clean(whole), quoted: '' } : { text, quoted: clean(hidden.join('\n')) }
}

function guardedLines(lines: readonly string[]): string[] {
  // A header may be in two lines.
  const isHeader = (at: number) => [lines[at], lines[at + 1]].some((line) => line?.endsWith('写道：'))
  return lines.map((line, at) => (line.startsWith('在') && !isHeader(at) ? GUARD + line : line))
}

/** Moves the last line to the quote that follows it, if it introduces it. */
function moveHeader(shown: string[], hidden: string[]): void {
  const lines = (shown.pop() ?? '').trimEnd().split('\n')
  const last = lines.at(-1)?.trim() ?? ''
  if (QUOTE_HEADER.test(last)) {
    lines.pop()
    hidden.push(last)
  }
  shown.push(lines.join('\n'))
}

function clean(text: string): string {
  return text.replace(/\n{3,}/g, '\n\n').trim()
}
