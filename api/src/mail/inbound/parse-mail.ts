import PostalMime, { type Address, type Attachment } from 'postal-mime'
import { flowedText } from './flowed-text.ts'
import { replyText } from './reply-text.ts'
import { senderIn } from './sender.ts'

/** A mail as far as answers need it. */
export interface ParsedMail {
  /** In document order, the newest first. */
  headers: { key: string; value: string }[]
  /** See `senderIn`. */
  from: string | null
  /** To and Cc, in lower case. */
  to: string[]
  subject: string
  messageId: string | null
  text: string
  quoted: string
  files: { name: string; bytes: Uint8Array }[]
  /** The Message-IDs that a report of a failed delivery names; null for any other mail. */
  failed: string[] | null
}
export type MailProblem = 'too-many-parts' | 'too-deep' | 'malformed'

const PARTS_MAX = 50
const DEPTH_MAX = 10
const HEADERS_BYTES_MAX = 256 * 1_024
/** Characters of each kind of text; the rest is left out. */
const TEXT_MAX = 200_000
/** Addresses that are read of a header. */
const ADDRESSES_MAX = 100

/** Runs in a worker, because mail is hostile input. */
export async function parseMail(raw: Uint8Array): Promise<ParsedMail | { problem: MailProblem }> {
  const parser = new PostalMime({
    forceRfc822Attachments: true,
    maxNestingDepth: DEPTH_MAX,
    maxHeadersSize: HEADERS_BYTES_MAX,
  })
  // Not in its types.
  const { root } = parser as unknown as { root: Part }
  Object.getPrototypeOf(root).decodeFlowedText = flowedText
  const email = await parser.parse(raw).catch((error: Error) => error)
  if (email instanceof Error) return { problem: /nesting/i.test(email.message) ? 'too-deep' : 'malformed' }
  const { headers, attachments } = email
  if (partsIn(root) > PARTS_MAX) return { problem: 'too-many-parts' }
  const valuesOf = (key: string) => headers.filter((header) => header.key === key).map(({ value }) => value)
  const subject = (email.subject ?? '').toWellFormed()
  const { text, quoted } = replyText({
    text: (email.text ?? '').slice(0, TEXT_MAX).toWellFormed(),
    html: email.html?.slice(0, TEXT_MAX).toWellFormed(),
    subject,
  })
  const isReport = /^\s*multipart\/report\b/i.test(valuesOf('content-type')[0] ?? '')
  const status = attachments.find(({ mimeType }) => mimeType === 'message/delivery-status')
  return {
    headers: headers.map(({ key, value }) => ({ key, value })),
    from: senderIn(valuesOf('from')),
    to: [...addressesIn(email.to), ...addressesIn(email.cc)],
    subject,
    // As it is: no encoded word is an id.
    messageId: idIn(valuesOf('message-id')[0]),
    text,
    quoted,
    files: attachments.filter((file) => file !== status).map(fileOf),
    failed: isReport || status !== undefined ? failedIn(status, attachments) : null,
  }
}

interface Part {
  childNodes: Part[]
}
/** Containers count too. */
function partsIn(part: Part): number {
  return part.childNodes.reduce((sum, child) => sum + partsIn(child), 1)
}

function addressesIn(addresses: readonly Address[] | undefined): string[] {
  const boxes = (addresses ?? []).flatMap((each) => each.group ?? each)
  return boxes.slice(0, ADDRESSES_MAX).map(({ address }) => (address ?? '').toLowerCase())
}

function idIn(value: string | undefined): string | null {
  return /<([^<>\s]{1,400})>/.exec(value ?? '')?.[1] ?? null
}

function fileOf({ filename, mimeType, content }: Attachment): ParsedMail['files'][number] {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content)
  return { name: filename ?? mimeType, bytes }
}

/** Of the mail that was not delivered: its headers or all of it are in the report. Delays are no failure. */
function failedIn(status: Attachment | undefined, attachments: readonly Attachment[]): string[] {
  const start = (file: Attachment) =>
    Buffer.from(fileOf(file).bytes.subarray(0, 64 * 1_024)).toString('latin1')
  if (status === undefined || !/^Action:[ \t]*failed\b/im.test(start(status))) return []
  const returned = attachments.filter(({ mimeType }) =>
    /^(message\/rfc822|text\/rfc822-headers)$/.test(mimeType),
  )
  return returned.flatMap((file) => {
    const [head = ''] = start(file).split(/\r?\n\r?\n/, 1)
    return idIn(/^Message-ID:\s*(<[^<>\s]+>)/im.exec(head)?.[1]) ?? []
  })
}
