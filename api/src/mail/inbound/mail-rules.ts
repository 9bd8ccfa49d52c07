import { MESSAGE_MAX, QUOTED_MAX } from '@proctorpass/shared/limits'
import { firstCharacters } from '../../storage/rules/chat-rows.ts'
import type { ParsedMail } from './parse-mail.ts'

/** Of a reply address: base32 in lower case, because some servers change the case. */
const REPLY_TOKEN = /^[a-z2-7]{24}$/
/** More than these would be looked up for nothing. */
const TOKENS_MAX = 10
/** Of files that are left out. All of them could take more room than a message has. */
const NAMES_SHOWN = 10
/** What names a mail of ours, see `Mailer`: of its Message-ID. */
const OWN_ID = /^([A-Za-z0-9_-]{43})@/

/** The tokens of the reply addresses that a mail was sent to. */
export function tokensIn(to: readonly string[], replyAddress: string): string[] {
  const at = replyAddress.lastIndexOf('@')
  const [start, end] = [`${replyAddress.slice(0, at)}+`.toLowerCase(), replyAddress.slice(at).toLowerCase()]
  const tokens = to
    .filter((address) => address.startsWith(start) && address.endsWith(end))
    .map((address) => address.slice(start.length, -end.length))
    .filter((token) => REPLY_TOKEN.test(token))
  return [...new Set(tokens)].slice(0, TOKENS_MAX)
}

/** The hash in a Message-ID that the mailer made; null in any other. `domain`: of MAIL_FROM. */
export function ownIdHash(messageId: string, domain: string): string | null {
  if (!messageId.toLowerCase().endsWith(`@${domain.toLowerCase()}`)) return null
  return OWN_ID.exec(messageId)?.[1] ?? null
}

/** Whether a program wrote the mail, or sent it to many: RFC 3834. */
export function isAutomatic(headers: ParsedMail['headers']): boolean {
  const values = (key: string) =>
    headers.filter((header) => header.key === key).map(({ value }) => value.trim())
  return (
    values('auto-submitted').some((value) => !/^no\b/i.test(value)) ||
    values('return-path').some((value) => /^<\s*>$/.test(value)) ||
    values('list-id').length > 0 ||
    values('precedence').some((value) => /^(bulk|junk|list)\b/i.test(value))
  )
}

/** The texts of a message, and what has no room there. Both stores can hold them. `leftOut`: the names of files. */
export function textsOf(
  mail: Pick<ParsedMail, 'text' | 'quoted'>,
  leftOut: readonly string[],
): { text: string; quoted: string; rest: string } {
  const note = leftOutNote(leftOut)
  const room = MESSAGE_MAX - [...note].length - 2
  const [text, moreText] = cut(storable(mail.text), room)
  const [quoted, moreQuoted] = cut(storable(mail.quoted), QUOTED_MAX)
  return {
    text: [text.trim(), note].filter((part) => part !== '').join('\n\n'),
    quoted: quoted.trim(),
    rest: [moreText, moreQuoted].filter((part) => part !== '').join('\n\n'),
  }
}

function cut(text: string, max: number): [head: string, tail: string] {
  const head = firstCharacters(text, max)
  return [head, text.slice(head.length)]
}

/** Without NUL and other control characters, and without what turns the direction of other text. */
export function storable(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\P{Cc}\n\t]|[\u202a-\u202e\u2066-\u2069]/gu, '')
    .trim()
}

/** One line that names files; empty without any. */
export function leftOutNote(names: readonly string[]): string {
  if (names.length === 0) return ''
  const more = names.length > NAMES_SHOWN ? ` and ${names.length - NAMES_SHOWN} more` : ''
  return `[Files left out: ${names.slice(0, NAMES_SHOWN).map(shownName).join(', ')}${more}]`
}

function shownName(name: string): string {
  return firstCharacters(storable(name).replace(/\s+/g, ' ') || 'file', 80)
}
