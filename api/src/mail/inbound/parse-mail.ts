import type { Attachment } from 'postal-mime'
import { flowedText } from './flowed-text.ts'
import { headerText, keptLines, withoutRawBytes } from './header-text.ts'
import { HEADERS_BYTES_MAX, MimeParser, TEXT_MAX, TooManyParts } from './mime.ts'
import { replyText } from './reply-text.ts'
import { senderIn } from './sender.ts'

/** What a mail's headers say. */
export interface MailHead {
  /** The headers in document order, the newest first. */
  headers: { key: string; value: string }[]
  /** The sender as `senderIn` returns it. */
  from: string | null
  /** The values of the headers To and Cc. */
  to: string[]
  subject: string
  messageId: string | null
}
/** A mail's content, as far as answers need it. */
export interface ParsedMail extends MailHead {
  text: string
  quoted: string
  files: MailFile[]
  /** Whether pressing a button wrote the mail: a reaction, or the answer to an invitation. */
  isReaction: boolean
  /**
   * The Message-IDs that a report about a failed delivery names; empty for any other report, null for any other mail.
   */
  failed: string[] | null
}
export interface MailFile {
  name: string
  bytes: Uint8Array
  /** Whether the file is a small picture that the text shows, such as a logo. */
  isDecoration: boolean
}
export type MailProblem = 'too-many-parts' | 'too-deep' | 'malformed'

/** A larger picture in the text counts as a file, because a person pasted it. */
const LOGO_BYTES_MAX = 32 * 1_024
/** Types that mail programs add for mail programs: signatures, keys, and other forms of the text. */
const NOT_FILES =
  /^(?:application\/(?:(?:x-)?pkcs7-signature|pgp-(?:signature|keys|encrypted))|text\/(?:x-amp-html|watch-html|enriched))$/
const SIGNATURE_NAME = /^(?:smime\.p7s|signature\.asc)$/i
const REACTION = 'text/vnd.google.email-reaction+json'
const CALENDAR = /^(?:text\/calendar|application\/ics)$/
/** The methods of RFC 5546 that answer the sender of an invitation. */
const CALENDAR_ANSWER = /^(?:reply|counter|declinecounter|refresh)$/i
const REPORT_PART = /^message\/(?:(?:global-)?(?:delivery-status|disposition-notification)|feedback-report)$/
/** File names for parts without a name, by type. */
const NAMES: Partial<Record<string, string>> = {
  'application/ms-tnef': 'winmail.dat',
  'application/pkcs7-mime': 'smime.p7m',
  'application/x-pkcs7-mime': 'smime.p7m',
  'text/calendar': 'invite.ics',
  'application/ics': 'invite.ics',
}

/**
 * Reads a mail's headers without its body; null if the mail has more headers than it may have. Takes linear time.
 * `charsets` has the charsets of the mail's texts.
 */
export function readHead(raw: Uint8Array, charsets: readonly (string | null)[] = []): MailHead | null {
  const head = headIn(raw)
  if (head === null) return null
  const folded: string[][] = []
  for (const line of keptLines(head)) {
    if (/^[ \t]/.test(line)) folded.at(-1)?.push(line)
    else if (line !== '') folded.push([line])
  }
  const headers = folded.map((lines) => {
    const [key = '', ...values] = lines.join('').split(':')
    // Other white space makes a different name, because a server that checked the mail saw no such header.
    const name = /[^\t -~]/.test(key) ? key : key.trim()
    return { key: name.toLowerCase(), value: values.join(':').trim() }
  })
  return headOf(headers, charsets)
}

/** Returns the bytes of a mail's headers; null if the mail has more of them than it may have. */
export function headIn(raw: Uint8Array): Buffer | null {
  const bytes = Buffer.from(raw.buffer, raw.byteOffset, Math.min(raw.byteLength, HEADERS_BYTES_MAX + 4))
  const ends = ['\n\r\n', '\n\n'].map((mark) => bytes.indexOf(mark)).filter((at) => at >= 0)
  if (ends.length === 0 && raw.byteLength > bytes.length) return null
  return bytes.subarray(0, ends.length === 0 ? bytes.length : Math.min(...ends))
}

/** Parses a mail. It runs in a worker thread, because mail is hostile input. */
export async function parseMail(raw: Uint8Array): Promise<ParsedMail | { problem: MailProblem }> {
  const parser = new MimeParser()
  // The types of `postal-mime` do not name this method.
  Object.getPrototypeOf(parser.root).decodeFlowedText = flowedText
  const email = await parser.parse(raw).catch((error: Error) => error)
  if (email instanceof TooManyParts) return { problem: 'too-many-parts' }
  if (email instanceof Error) return { problem: /nesting/i.test(email.message) ? 'too-deep' : 'malformed' }
  const { attachments } = email
  const head = readHead(raw, [...parser.charsets])
  if (head === null) return { problem: 'malformed' }
  const { text, quoted } = replyText({
    text: (email.text ?? '').slice(0, TEXT_MAX).toWellFormed(),
    html: email.html?.slice(0, TEXT_MAX).toWellFormed(),
    subject: head.subject,
  })
  const reports = attachments.filter(({ mimeType }) => REPORT_PART.test(mimeType))
  const status = reports.find(({ mimeType }) => mimeType.endsWith('delivery-status'))
  return {
    ...head,
    text,
    quoted,
    files: attachments.filter(isFile).map(fileOf),
    isReaction: attachments.some(isReaction),
    failed: isReport(head) || reports.length > 0 ? failedIn(status, attachments) : null,
  }
}

/** Whether a mail server or a mail program wrote this mail about another mail. */
export function isReport({ headers }: MailHead): boolean {
  const type = headers.find(({ key }) => key === 'content-type')?.value ?? ''
  return /^\s*multipart\/report\b/i.test(type)
}

function headOf(raw: MailHead['headers'], charsets: readonly (string | null)[]): MailHead {
  const headers = raw.map(({ key, value }) => ({ key, value: withoutRawBytes(value) }))
  const valuesOf = (...keys: string[]) =>
    headers.filter(({ key }) => keys.includes(key)).map(({ value }) => value)
  const subject = raw.find(({ key }) => key === 'subject')?.value ?? ''
  return {
    headers,
    from: senderIn(valuesOf('from')),
    to: valuesOf('to', 'cc').map((value) => headerText(value, [])),
    subject: headerText(subject, charsets).toWellFormed(),
    // A Message-ID is read as it is, because it contains no encoded words.
    messageId: idIn(valuesOf('message-id')[0]),
  }
}

function idIn(value: string | undefined): string | null {
  return /<([^<>\s]{1,400})>/.exec(value ?? '')?.[1] ?? null
}

/** Whether a person probably attached the file. */
function isFile(file: Attachment): boolean {
  const { mimeType, filename, disposition } = file
  if (REPORT_PART.test(mimeType) || isReaction(file) || SIGNATURE_NAME.test(filename ?? '')) return false
  return !NOT_FILES.test(mimeType) || (mimeType.startsWith('text/') && disposition === 'attachment')
}

function isReaction(file: Attachment): boolean {
  if (file.mimeType === REACTION) return true
  if (!CALENDAR.test(file.mimeType)) return false
  const method = file.method ?? /^METHOD:[ \t]*([A-Z]+)/im.exec(startOf(file))?.[1] ?? ''
  return CALENDAR_ANSWER.test(method)
}

function fileOf(file: Attachment): MailFile {
  const { filename, mimeType, related, contentId, disposition } = file
  const bytes = bytesOf(file)
  const isShown = related === true || (contentId !== undefined && disposition !== 'attachment')
  return {
    name: filename || (NAMES[mimeType] ?? mimeType),
    bytes,
    isDecoration: isShown && mimeType.startsWith('image/') && bytes.length <= LOGO_BYTES_MAX,
  }
}

function bytesOf({ content }: Attachment): Uint8Array {
  return typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
}

function startOf(file: Attachment): string {
  return Buffer.from(bytesOf(file).subarray(0, 64 * 1_024)).toString('latin1')
}

/**
 * Returns the Message-IDs of the mails that were not delivered: a report contains their headers or all of them. A delay
 * is not a failure.
 */
function failedIn(status: Attachment | undefined, attachments: readonly Attachment[]): string[] {
  if (status === undefined || !/^Action:[ \t]*failed\b/im.test(startOf(status))) return []
  const returned = attachments.filter(({ mimeType }) =>
    /^(message\/(?:global|rfc822)|text\/rfc822-headers|message\/global-headers)$/.test(mimeType),
  )
  return returned.flatMap((file) => {
    const [head = ''] = startOf(file).split(/\r?\n\r?\n/, 1)
    return idIn(/^Message-ID:\s*(<[^<>\s]+>)/im.exec(head)?.[1]) ?? []
  })
}
