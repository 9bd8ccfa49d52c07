import { trimmed } from '@proctorpass/shared/fields/text'
import { LEFT_OUT_MAX, LEFT_OUT_NAME_MAX, MESSAGE_MAX, QUOTED_MAX } from '@proctorpass/shared/limits'
import { firstCharacters } from '../../storage/model/conversation/rows.ts'
import type { ParsedMail } from './parse-mail.ts'

/** Of a reply address: base32 in lower case, because some servers change the case. */
const REPLY_TOKEN = /^[a-z2-7]{24}$/
/** More than these would be looked up for nothing. */
const TOKENS_MAX = 10
/** What names a mail of ours, see `Mailer`: of its Message-ID. */
const OWN_ID = /^([A-Za-z0-9_-]{43})@/

/**
 * The tokens of the reply addresses that stand in To and Cc, in any form of an address: in a group, in quotes, in an encoded
 * word, or as a name. Where it stands proves nothing, and a token cannot be guessed.
 */
export function tokensIn(to: readonly string[], replyAddress: string): string[] {
  const at = replyAddress.lastIndexOf('@')
  const [start, end] = [`${replyAddress.slice(0, at)}+`.toLowerCase(), replyAddress.slice(at).toLowerCase()]
  const tokens = to.flatMap((value) => {
    const bare = value.toLowerCase().replace(/\([^()]*\)|["'\\]/g, '')
    const text = bare
      .split('@')
      .map((part) => part.trim())
      .join('@')
    return text.split(/[^\p{L}\p{N}\p{M}.!#$%&*+/=?^_`{|}~@-]+/u).flatMap((address) => {
      const isReply = address.startsWith(start) && address.endsWith(end)
      return isReply ? address.slice(start.length, -end.length) : []
    })
  })
  return [...new Set(tokens.filter((token) => REPLY_TOKEN.test(token)))].slice(0, TOKENS_MAX)
}

/** The hash in a Message-ID that the mailer made; null in any other. `domain`: of MAIL_FROM. */
export function ownIdHash(messageId: string, domain: string): string | null {
  if (!messageId.toLowerCase().endsWith(`@${domain.toLowerCase()}`)) return null
  return OWN_ID.exec(messageId)?.[1] ?? null
}

/** What programs say of their answers, beside RFC 3834. */
const AUTOMATIC_HEADER =
  /^x-(?:auto-?(?:reply|respond|responder|response|generated|submitted)|mail-autoreply|autoreply-from)$/
const NOT_AUTOMATIC = /^(?:no|none|false|0|)$/i

/**
 * Whether the headers say that a program wrote the mail, or sent it to many: RFC 3834. `isAnswer`: to a mail of ours, where
 * Exchange's wish for no automatic answer is what its own automatic answers say. People who write first may have it too.
 */
export function isAutomatic(headers: ParsedMail['headers'], isAnswer: boolean): boolean {
  return headers.some(({ key, value: untrimmed }) => {
    const value = untrimmed.trim()
    switch (key) {
      case 'auto-submitted':
        return !/^no\b/i.test(value)
      case 'return-path':
        return /^<\s*>$/.test(value)
      case 'list-id':
        return true
      case 'precedence':
        return /^(?:bulk|junk|list|auto[-_ ]?reply)\b/i.test(value)
      case 'x-auto-response-suppress':
        return isAnswer && !NOT_AUTOMATIC.test(value)
      default:
        return AUTOMATIC_HEADER.test(key) && !NOT_AUTOMATIC.test(value)
    }
  })
}

/** The texts of a message, and what has no room there. Both stores can hold them. */
export function textsOf({ text, quoted }: Pick<ParsedMail, 'text' | 'quoted'>): {
  text: string
  quoted: string
  rest: string
} {
  const [shown, moreText] = cut(storable(text), MESSAGE_MAX)
  const [shownQuoted, moreQuoted] = cut(storable(quoted), QUOTED_MAX)
  return {
    text: trimmed(shown),
    quoted: trimmed(shownQuoted),
    rest: [moreText, moreQuoted].filter((part) => part !== '').join('\n\n'),
  }
}

function cut(text: string, max: number): [head: string, tail: string] {
  const head = firstCharacters(text, max)
  return [head, text.slice(head.length)]
}

/**
 * Without NUL and other control characters, and without what turns the direction of other text. Empty for a text that
 * shows nothing.
 */
export function storable(text: string): string {
  return trimmed(text.toWellFormed().replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, ''))
}

/** One line that names files; empty without any. */
export function leftOutNote(names: readonly string[]): string {
  const shown = leftOutNames(names)
  return shown.length === 0 ? '' : `[Files left out: ${shown.join(', ')}]`
}

/** The names of files as they are shown, each once; the last counts those that have no room. */
export function leftOutNames(names: readonly string[]): string[] {
  const each = [...new Set(names.map(shownName))]
  const more = each.length - LEFT_OUT_MAX
  return more > 0 ? [...each.slice(0, LEFT_OUT_MAX), `${more} more`] : each
}

function shownName(name: string): string {
  return firstCharacters(storable(name).replace(/\s+/g, ' ') || 'file', LEFT_OUT_NAME_MAX)
}
