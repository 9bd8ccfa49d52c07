import { lineProblem } from '@proctorpass/shared/fields/text'
import { EMAIL_MAX, EMAIL_PATTERN } from '@proctorpass/shared/limits'

const FROM_NAME_MAX = 60

export interface MailSettings {
  /** An `smtp:` or `smtps:` URL, with or without credentials. */
  url: string
  from: Mailbox
}

export interface Mailbox {
  /** Empty if there is no name. */
  name: string
  address: string
}

/**
 * Reads SMTP_URL and MAIL_FROM, and names every problem. Without SMTP_URL there are no settings, and no mail is sent.
 */
export function mailSettings(get: (name: string) => string | undefined): {
  settings: MailSettings | null
  problems: string[]
} {
  const problems: string[] = []
  const url = get('SMTP_URL')
  // The URL contains credentials, so its value is not printed.
  if (url !== undefined && !isSmtpUrl(url)) {
    problems.push(
      'SMTP_URL must look like smtp://user:password@host:587 or smtps://user:password@host:465, without options.',
    )
  }
  const sender = get('MAIL_FROM')
  const from = sender === undefined ? null : mailboxIn(sender)
  if (sender !== undefined && from === null) {
    problems.push(
      `MAIL_FROM is ${JSON.stringify(sender)}; it must be an email address, or a name and an address such as ` +
        'Support <support@example.com>.',
    )
  }
  if (url !== undefined && sender === undefined) {
    problems.push('MAIL_FROM is required with SMTP_URL: set it to the address that mails come from.')
  }
  return { settings: url === undefined || from === null ? null : { url, from }, problems }
}

/** Refuses a query, because a mail library could read options there, such as one that accepts every certificate. */
function isSmtpUrl(value: string): boolean {
  const { protocol, hostname, pathname, search, hash } = URL.parse(value) ?? {}
  if ((protocol !== 'smtp:' && protocol !== 'smtps:') || !hostname) return false
  return (pathname === '' || pathname === '/') && search === '' && hash === '' && isDecodable(value)
}

export function isDecodable(value: string): boolean {
  try {
    decodeURIComponent(value)
    return true
  } catch {
    return false
  }
}

function mailboxIn(value: string): Mailbox | null {
  const [, label = '', inBrackets, alone] = /^(?:([^<>]*)<([^<>]+)>|([^<>]+))$/.exec(value.trim()) ?? []
  const name = label.trim().replace(/^"([^"]*)"$/, '$1')
  const address = (inBrackets ?? alone ?? '').trim()
  const isSound = isEmailAddress(address) && (name === '' || lineProblem(name, FROM_NAME_MAX) === null)
  return isSound ? { name, address } : null
}

const EMAIL = new RegExp(EMAIL_PATTERN, 'u')

export function isEmailAddress(text: string): boolean {
  return text.length <= EMAIL_MAX && EMAIL.test(text)
}
