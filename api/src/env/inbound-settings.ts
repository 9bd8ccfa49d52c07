import { isDecodable, isEmailAddress } from './mail-settings.ts'

export interface InboundSettings {
  host: string
  port: number
  /** False only for a server on the loopback interface. */
  secure: boolean
  user: string
  password: string
  mailbox: string
  /** The address that a token is added to. */
  replyAddress: string
  /**
   * The name under which the operator's mail server writes `Authentication-Results`, in lower case. If null, no sender
   * is verified.
   */
  authservId: string | null
}

const URL_RULE =
  'INBOUND_URL must look like imaps://user:password@host/INBOX, without options; imap:// is for this machine only.'
/** The longest local part. A token with its `+` takes 25 of the 64 characters before the `@`. */
const REPLY_LOCAL_MAX = 64 - 25

/**
 * Reads INBOUND_URL, REPLY_ADDRESS, and INBOUND_AUTHSERV, and names every problem. Without INBOUND_URL there are no
 * settings, and answers by mail are not read.
 */
export function inboundSettings(get: (name: string) => string | undefined): {
  settings: InboundSettings | null
  problems: string[]
} {
  const problems: string[] = []
  const url = get('INBOUND_URL')
  const replyAddress = get('REPLY_ADDRESS')?.trim()
  const authserv = get('INBOUND_AUTHSERV')?.trim()
  const hasSmtp = get('SMTP_URL') !== undefined
  // The URL contains credentials, so its value is not printed.
  const server = url === undefined ? null : serverIn(url)
  if (url !== undefined && server === null) problems.push(URL_RULE)
  if (replyAddress !== undefined && !isReplyAddress(replyAddress)) {
    problems.push(
      `REPLY_ADDRESS is ${JSON.stringify(replyAddress)}; it must be an email address such as support@example.com, ` +
        `with at most ${REPLY_LOCAL_MAX} characters and no + before the @.`,
    )
  }
  if (authserv !== undefined && !/^[A-Za-z0-9._-]{1,253}$/.test(authserv)) {
    problems.push(`INBOUND_AUTHSERV is ${JSON.stringify(authserv)}; it must be a host name.`)
  }
  if (url !== undefined && !hasSmtp) {
    problems.push('SMTP_URL is required with INBOUND_URL: visitors answer the mails that it sends.')
  }
  if (url !== undefined && replyAddress === undefined) {
    problems.push(
      'REPLY_ADDRESS is required with INBOUND_URL: set it to the address whose mail arrives there.',
    )
  }
  if (problems.length > 0 || server === null || replyAddress === undefined)
    return { settings: null, problems }
  const authservId = authserv?.toLowerCase() ?? null
  return { settings: { ...server, replyAddress, authservId }, problems }
}

function isReplyAddress(address: string): boolean {
  const local = address.slice(0, address.lastIndexOf('@'))
  return isEmailAddress(address) && !local.includes('+') && local.length <= REPLY_LOCAL_MAX
}

/**
 * Returns null if the value is not a mailbox's URL. A query is refused, because it could hold options, such as one that
 * accepts every certificate.
 */
function serverIn(value: string): Omit<InboundSettings, 'replyAddress' | 'authservId'> | null {
  const url = URL.parse(value)
  if (url === null || !isDecodable(value)) return null
  const { protocol, hostname, port, username, password, pathname, search, hash } = url
  const secure = protocol === 'imaps:'
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const isLocal = /^(localhost|127(\.\d+){3}|::1)$/i.test(host)
  if (!secure && (protocol !== 'imap:' || !isLocal)) return null
  if (host === '' || username === '' || password === '' || search !== '' || hash !== '') return null
  const mailbox = decodeURIComponent(pathname.slice(1)) || 'INBOX'
  if (/[\p{Cc}*%]/u.test(mailbox)) return null
  return {
    host,
    port: port === '' ? (secure ? 993 : 143) : Number(port),
    secure,
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    mailbox,
  }
}
