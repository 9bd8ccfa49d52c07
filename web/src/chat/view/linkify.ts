/** Plain text, or a safe link. */
export type TextPart = string | { text: string; href: string }

// Linear: no nested repetition, and every alternative fails at once or consumes what it matched. See
// docs/decisions/0037-linear-regular-expressions.md. An address ends at white space, quotes, brackets, full-width punctuation
// and invisible characters, which could disguise it.
const CANDIDATE =
  /(?<![\w@])(?:https?:\/\/|mailto:|www\.)[^\s\p{Cc}\p{Cf}<>"`{}|\\^\u3000-\u303f\uff00-\uffef]+|(?<![\w.%+@/-])[\w.%+-]{1,64}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}/giu

const PROTOCOLS = new Set(['http:', 'https:', 'mailto:'])

/** Finds web and email addresses in a text. */
export function linkify(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  for (const match of text.matchAll(CANDIDATE)) {
    const shown = withoutSentenceEnd(match[0])
    const href = hrefOf(shown)
    if (href === null) continue
    if (match.index > end) parts.push(text.slice(end, match.index))
    parts.push({ text: shown, href })
    end = match.index + shown.length
  }
  if (end < text.length) parts.push(text.slice(end))
  return parts
}

/** Drops punctuation at the end, and closing brackets that were not opened inside. */
function withoutSentenceEnd(candidate: string): string {
  let round = 0
  let square = 0
  for (const char of candidate) {
    if (char === '(') round++
    else if (char === ')') round--
    else if (char === '[') square++
    else if (char === ']') square--
  }
  let end = candidate.length
  for (; end > 0; end--) {
    const last = candidate[end - 1] as string
    if (last === ')' && round < 0) round++
    else if (last === ']' && square < 0) square++
    else if (!'.,;:!?\'"*_~…'.includes(last)) break
  }
  return candidate.slice(0, end)
}

function hrefOf(shown: string): string | null {
  let address = shown
  if (/^www\./i.test(shown)) address = `https://${shown}`
  else if (!/^(?:https?:\/\/|mailto:)/i.test(shown)) address = `mailto:${shown}`
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  if (!PROTOCOLS.has(url.protocol)) return null
  // A user name can make one site look like another: https://bank.example@evil.example
  if (url.username !== '' || url.password !== '') return null
  if (url.protocol === 'mailto:') return url.pathname.includes('@') ? url.href : null
  return url.href
}
