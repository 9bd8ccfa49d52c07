import { createHash } from 'node:crypto'
import { domainToASCII } from 'node:url'
import { createTransport, type NodemailerError } from 'nodemailer'
import { isEmailAddress, type MailSettings } from '../env/mail-settings.ts'
import type { MailBody } from './mail-body.ts'

/** A mail server that hangs must not hold up a job for long. */
const SEND_WITHIN_MS = 40_000
const CONNECT_WITHIN_MS = 10_000
/** Milliseconds for which the server may be silent. */
const ANSWER_WITHIN_MS = 20_000

export interface Mail extends MailBody {
  /**
   * Identifies what the mail is about. It is the same for each attempt, because mail servers recognize a repeated mail
   * by it.
   */
  id: string
  to: readonly string[]
  subject: string
  /** The address for answers. A mail without it comes from a program, and its header says so. */
  replyTo?: string | undefined
  /** The URL that unsubscribes on a POST. */
  unsubscribeUrl?: string
}

/**
 * `refused` means that the server will never take this mail, or that no address is valid. `failed` means that it may
 * take the mail later, was not reached, or does not accept this sender.
 */
export type MailOutcome = 'sent' | 'refused' | 'failed'

interface MailerLog {
  warn(context: object, message: string): void
}

export function createMailer({ url, from }: MailSettings, log: MailerLog, answerWithinMs = ANSWER_WITHIN_MS) {
  const transport = createTransport({
    ...smtpOptions(url),
    socketTimeout: answerWithinMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const domain = domainToASCII(from.address.slice(from.address.lastIndexOf('@') + 1)) || 'localhost'

  return {
    /** Sends a mail. Never rejects, and settles within 40 s. */
    async send({ id, to, subject, text, html, replyTo, unsubscribeUrl }: Mail): Promise<MailOutcome> {
      const recipients = to.filter(isEmailAddress)
      if (recipients.length === 0) return 'refused'
      try {
        await transport.sendMail({
          from,
          // The recipients are objects, because a string would be parsed as a list.
          to: recipients.map((address) => ({ name: '', address })),
          subject: subject.replace(/\p{Cc}+/gu, ' '),
          text,
          html,
          messageId: `<${createHash('sha256').update(id).digest('base64url')}@${domain}>`,
          ...(replyTo === undefined ? {} : { replyTo: { name: '', address: replyTo } }),
          headers: {
            ...(replyTo === undefined ? { 'Auto-Submitted': 'auto-generated' } : {}),
            ...unsubscribeHeaders(unsubscribeUrl),
          },
          xMailer: false,
          signal: AbortSignal.timeout(SEND_WITHIN_MS),
        })
        return 'sent'
      } catch (error) {
        // The error's text can contain the address, so it is not logged.
        const { code, command, responseCode } = error as NodemailerError
        log.warn({ code, command, responseCode }, 'mail not sent')
        return isFinal(error as NodemailerError) ? 'refused' : 'failed'
      }
    },
  }
}

export type Mailer = ReturnType<typeof createMailer>

/**
 * Makes the SMTP options. Credentials are sent encrypted or not at all. Connections within one machine are encrypted
 * only with smtps.
 */
export function smtpOptions(value: string) {
  const url = new URL(value)
  const { protocol, port, username, password } = url
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const secure = protocol === 'smtps:'
  const isLocal = /^(localhost|127(\.\d+){3}|::1)$/i.test(host)
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    ignoreTLS: !secure && isLocal,
    requireTLS: !secure && !isLocal && username !== '',
    ...(username === ''
      ? {}
      : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    dnsTimeout: CONNECT_WITHIN_MS,
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
  }
}

/** Lets the reader unsubscribe with one click in their mail program (RFC 8058). */
function unsubscribeHeaders(url: string | undefined): Record<string, string> {
  if (url === undefined) return {}
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
}

/**
 * Whether the failure concerns this mail or its recipient. A refused sign-in or sender concerns the settings, which an
 * operator can correct.
 */
function isFinal({ code, command, responseCode, permanent }: NodemailerError): boolean {
  if ((code !== 'EENVELOPE' && code !== 'EMESSAGE') || command === 'MAIL FROM') return false
  // Without a response code, the library itself refused an address.
  return responseCode === undefined ? command === 'API' : permanent === true && responseCode !== 530
}
