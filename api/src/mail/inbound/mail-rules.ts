import { trimmed } from '@proctorpass/shared/fields/text'
import { LEFT_OUT_MAX, LEFT_OUT_NAME_MAX, MESSAGE_MAX, QUOTED_MAX } from '@proctorpass/shared/limits'
import { firstCharacters } from '../../storage/model/conversation/rows.ts'
import type { ParsedMail } from './parse-mail.ts'

/** A reply address's token: base32 in lower case, because some servers change the case. */
const REPLY_TOKEN = /^[a-z2-7]{24}$/
/** A mail with more tokens than this would cost look-ups that find nothing. */
const TOKENS_MAX = 10
/** The part of a Message-ID that `Mailer` made from the mail's ID. */
const OWN_ID = /^([A-Za-z0-9_-]{43})@/

/**
 * Returns the tokens of the reply addresses in To and Cc, in any form that an address can have: in a group, in quotes,
 * in an encoded word, or as a name. The place of an address proves nothing, and a token cannot be guessed.
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

/**
 * Returns the hash in a Message-ID that the mailer made, or null for any other Message-ID. `domain` is the domain of
 * MAIL_FROM.
 */
export function ownIdHash(messageId: string, domain: string): string | null {
  if (!messageId.toLowerCase().endsWith(`@${domain.toLowerCase()}`)) return null
  return OWN_ID.exec(messageId)?.[1] ?? null
}

/** Headers with which programs mark their answers, besides the one in RFC 3834. */
const AUTOMATIC_HEADER =
  /^x-(?:auto-?(?:reply|respond|responder|response|generated|submitted)|mail-autoreply|autoreply-from)$/
const NOT_AUTOMATIC = /^(?:no|none|false|0|)$/i

/**
 * Whether the headers say that a program wrote the mail, or sent it to many recipients (RFC 3834). `isAnswer`: whether
 * it answers one of our mails. Exchange marks its own automatic answers only with its wish for no automatic answer, and
 * people's first mails may carry that wish too.
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

/** Returns the texts of a message, and in `rest` what does not fit into it. Both stores can hold the texts. */
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
 * Removes NUL and other control characters, and the characters that change the direction of surrounding text. Returns
 * an empty text if nothing visible is left.
 */
export function storable(text: string): string {
  return trimmed(text.toWellFormed().replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, ''))
}

/** Returns one line that names the files; empty without files. */
export function leftOutNote(names: readonly string[]): string {
  const shown = leftOutNames(names)
  return shown.length === 0 ? '' : `[Files left out: ${shown.join(', ')}]`
}

/** Returns each file's name once, as it is shown; the last item counts the names that do not fit. */
export function leftOutNames(names: readonly string[]): string[] {
  const each = [...new Set(names.map(shownName))]
  const more = each.length - LEFT_OUT_MAX
  return more > 0 ? [...each.slice(0, LEFT_OUT_MAX), `${more} more`] : each
}

function shownName(name: string): string {
  return firstCharacters(storable(name).replace(/\s+/g, ' ') || 'file', LEFT_OUT_NAME_MAX)
}
