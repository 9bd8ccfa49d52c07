/** Browsers and Node both have it, but neither's types are loaded here. */
declare const URL: {
  canParse(text: string): boolean
  new (text: string): { protocol: string; username: string; password: string; pathname: string; href: string }
}

/** Plain text, or a safe link. */
export type TextPart = string | { text: string; href: string }

// These expressions are linear (docs/decisions/0037-linear-regular-expressions.md): what repeats is bounded, and each
// search begins where the last link ended. An email address is found with everything that could be part of it, because
// the rest of an address that was cut could be another person's. Letters without case may stand beside an address, as
// words do in Chinese.
const START =
  /(?<![^\W_]|@)(?:https?:\/\/|mailto:|www\.)|(?<![\p{Lu}\p{Ll}\p{M}\p{N}\w.!#$%&'’*+/=?^`{|}~@-])([\p{Lu}\p{Ll}\p{M}\p{N}\w.!#$%&'’*+/=?^`{|}~-]{1,64})@[\p{Lu}\p{Ll}\p{M}\p{N}-]{1,63}(?:\.[\p{Lu}\p{Ll}\p{M}\p{N}-]{1,63}){1,8}(?![\p{Lu}\p{Ll}\p{M}\p{N}@-]|[._][\p{L}\p{N}])/giu
const PROTOCOLS = new Set(['http:', 'https:', 'mailto:'])

/**
 * Matches what no link contains, in any width: white space, quotation marks, and invisible characters that could
 * disguise it.
 */
export const NEVER = /[\s\p{Cc}<>"`|\\^]|(?![\u200c\u200d])\p{Cf}/u
/** Matches other scripts' commas and full stops. Those in ASCII have a meaning in addresses. */
const SENTENCE_MARK = /(?!\p{ASCII})\p{Terminal_Punctuation}/u
const HOST_END = /(?![-.:@_%[\]])\p{P}/u
/** Matches what cannot end a link, except a closing bracket that was opened in it. */
const NOT_LAST = /(?![-/#&%@])[\p{P}~\u200c\u200d]/u

/** Finds web and email addresses in a text. A link ends before what closes the text around it, in any script. */
export function linkify(text: string): TextPart[] {
  const parts: TextPart[] = []
  let end = 0
  START.lastIndex = 0
  for (let match = START.exec(text); match !== null; match = START.exec(text)) {
    const [found, local] = match
    const skipped = local === undefined ? 0 : local.length - local.replace(/^[^\p{L}\p{N}_%+-]+/u, '').length
    const from = match.index + skipped
    const to = local === undefined ? linkEnd(text, match.index, found) : START.lastIndex
    START.lastIndex = Math.max(START.lastIndex, to)
    const shown = text.slice(from, to)
    const href = hrefOf(shown)
    if (href === null) continue
    if (from > end) parts.push(text.slice(end, from))
    parts.push({ text: shown, href })
    end = to
  }
  if (end < text.length) parts.push(text.slice(end))
  return parts
}

/**
 * Returns the end of the link that begins with `prefix` at `from`. If nothing follows the prefix, that is the prefix's
 * end.
 */
function linkEnd(text: string, from: number, prefix: string): number {
  const before = text.charAt(from - 1)
  const opened: string[] = []
  let inHost = prefix !== 'mailto:'
  let at = from + prefix.length
  let end = at
  while (at < text.length) {
    const char = String.fromCodePoint(text.codePointAt(at) ?? 0)
    if (NEVER.test(char.normalize('NFKC')) || SENTENCE_MARK.test(char)) break
    if (/[/?#]/.test(char)) inHost = false
    if (inHost && HOST_END.test(char)) break
    at += char.length
    let isClosed = false
    if (/[\p{Ps}\p{Pi}]/u.test(char)) {
      // Quotes in „German“ and »German« style end with a character that opens a quote in English.
      if (/[\p{Pf}„‚]/u.test(before) && /\p{Pi}/u.test(char)) break
      opened.push(char)
    } else if (/[\p{Pe}\p{Pf}]/u.test(char)) {
      isClosed = isPair(opened.at(-1), char)
      if (isClosed) opened.pop()
      // An apostrophe is typed as a closing quotation mark.
      else if (char !== '’' || /[‘’‚]/.test(before) || !/\p{Ll}/u.test(text.charAt(at))) break
    }
    if (isClosed || !NOT_LAST.test(char)) end = at
  }
  return end
}

/**
 * Whether the marks open and close each other. Such pairs are close in Unicode; « and » are farthest from each other.
 */
function isPair(opening: string | undefined, closing: string): boolean {
  const distance = closing.charCodeAt(0) - (opening?.charCodeAt(0) ?? Number.NaN)
  return distance > 0 && distance <= 16
}

/** Returns the address in full to which a text leads; null if it is not one. It must have no character of NEVER. */
export function hrefOf(shown: string): string | null {
  let address = shown
  if (/^www\../i.test(shown)) address = `https://${shown}`
  else if (!/^(?:https?:\/\/|mailto:)/i.test(shown)) {
    if (/^@|[^\p{L}\p{M}\p{N}_.%+&'@-]/u.test(shown)) return null
    address = `mailto:${shown.replace(/[%&]/g, encodeURIComponent)}`
  }
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  if (!PROTOCOLS.has(url.protocol)) return null
  // A user name can make one site look like another, as in https://bank.example@evil.example.
  if (url.username !== '' || url.password !== '') return null
  if (url.protocol === 'mailto:') return url.pathname.includes('@') ? url.href : null
  return url.href
}
