/** The variables in canned replies. */
export const REPLY_VARIABLES = ['visitor.name', 'admin.name', 'brand', 'supportEmail', 'exam.time'] as const
export type ReplyVariable = (typeof REPLY_VARIABLES)[number]

/** Literal text, or what stands between two braces, which is a known variable if the text was ever saved. */
export type ReplyPart = { text: string } | { variable: string }

/** Returns a canned reply's parts in order. Unmatched braces are text. */
export function partsOf(text: string): ReplyPart[] {
  const parts: ReplyPart[] = []
  let from = 0
  for (;;) {
    const open = text.indexOf('{{', from)
    const close = open < 0 ? -1 : text.indexOf('}}', open + 2)
    const end = close < 0 ? text.length : open
    if (end > from) parts.push({ text: text.slice(from, end) })
    if (close < 0) return parts
    parts.push({ variable: text.slice(open + 2, close) })
    from = close + 2
  }
}

export function isReplyVariable(name: string): name is ReplyVariable {
  return (REPLY_VARIABLES as readonly string[]).includes(name)
}

/** Returns the first variable that does not exist, or null. */
export function unknownVariable(text: string): string | null {
  for (const part of partsOf(text)) {
    if ('variable' in part && !isReplyVariable(part.variable)) return part.variable
  }
  return null
}

/** Returns the text with each variable replaced. */
export function filledReply(text: string, fill: (variable: ReplyVariable) => string): string {
  return partsOf(text)
    .map((part) => {
      if ('text' in part) return part.text
      return isReplyVariable(part.variable) ? fill(part.variable) : `{{${part.variable}}}`
    })
    .join('')
}
