import PostalMime, { type Attachment, type Email } from 'postal-mime'
import { charsetOf, readText } from './charset.ts'
import { fileName, keptBytes } from './header-text.ts'

/** A mail's part in the internal form of `postal-mime`, which its types do not export. */
export interface MimePart {
  childNodes: MimePart[]
  depth: number
  state: 'header' | 'body' | 'finished'
  content: ArrayBuffer | null
  contentType: { value: string; parsed: Structured; multipart: string | false }
  contentDisposition: { value: string; parsed: Structured }
  contentTransferEncoding: { encoding: string }
  contentId?: string
}
interface Structured {
  value: string
  params: { charset?: string; filename?: string; name?: string }
}
interface Line {
  bytes: Uint8Array
  done: boolean
}
interface Internals {
  root: MimePart
  currentNode: MimePart
  buf: ArrayBuffer
  av: Uint8Array
  readPos: number
  boundaries: { value: Uint8Array }[]
  attachments: Attachment[]
  readLine(): Line
  collectNode(part: MimePart, alternative: MimePart | false, isRelated: boolean): Promise<void>
  collectAttachment(part: MimePart, content: ArrayBuffer, isRelated: boolean, isTooDeep: boolean): void
  parse(raw: Uint8Array): Promise<Email>
}
const Base = PostalMime as unknown as new (options: object) => Internals

const PARTS_MAX = 50
const DEPTH_MAX = 10
export const HEADERS_BYTES_MAX = 256 * 1_024
/** Characters that are kept of each kind of a mail's text; the rest is left out. */
export const TEXT_MAX = 200_000
/** A character has at most this many bytes in every charset. */
const BYTES_OF_CHARACTER = 4
/** Bytes of a body that are handed on at once. */
const CHUNK_BYTES = 64 * 1_024
const [TAB, LF, CR, SPACE, DASH] = [0x09, 0x0a, 0x0d, 0x20, 0x2d]

export class TooManyParts extends Error {}

/**
 * Adapts `postal-mime` to read any charset within limits. Parts are counted as they begin, so a mail that consists of
 * empty parts costs no memory. Bodies are handed on in large pieces, so a mail that consists of line breaks costs none
 * either. Headers keep the bytes that are not UTF-8, and `readText` reads the texts.
 *
 * @see docs/decisions/0096-mail-in-any-charset.md
 */
export class MimeParser extends Base {
  /** The charsets that the mail names for its texts. */
  readonly charsets = new Set<string>()
  #last: MimePart | null = null
  #parts = 0
  /** The position of the next boundary, or of the end. */
  #boundaryAt = 0
  readonly #room = { html: TEXT_MAX, plain: TEXT_MAX }

  constructor() {
    super({ forceRfc822Attachments: true, maxNestingDepth: DEPTH_MAX, maxHeadersSize: HEADERS_BYTES_MAX })
  }

  override readLine(): Line {
    const part = this.currentNode
    if (part !== this.#last) {
      this.#last = part
      this.#boundaryAt = 0
      // A part that ends leads back to the part around it, which was counted when it began.
      if (part.state === 'header') this.#parts += 1
      if (this.#parts > PARTS_MAX) throw new TooManyParts()
    }
    if (part.state === 'header') {
      const { bytes, done } = super.readLine()
      return { bytes: keptBytes(bytes), done }
    }
    // The base class joins and cuts these lines itself.
    const { encoding } = part.contentTransferEncoding
    if (encoding.includes('quoted-printable')) return super.readLine()
    return this.#readLines(encoding.includes('base64')) ?? super.readLine()
  }

  /** Returns the lines before the next boundary unchanged; null if the next line is the boundary. */
  #readLines(isBase64: boolean): Line | null {
    const { av: all, readPos: start } = this
    if (this.#isBoundary(start)) return null
    if (this.#boundaryAt <= start) this.#boundaryAt = this.#nextBoundary(start)
    const chunkEnd = isBase64 ? all.indexOf(LF, start + CHUNK_BYTES) + 1 : 0
    const end = chunkEnd > 0 ? Math.min(this.#boundaryAt, chunkEnd) : this.#boundaryAt
    this.readPos = end
    // The decoder adds the last line break again.
    let last = end
    if (all[last - 1] === LF) last -= 1
    if (last < end && all[last - 1] === CR) last -= 1
    return { bytes: new Uint8Array(this.buf, start, Math.max(0, last - start)), done: end >= all.length }
  }

  #nextBoundary(start: number): number {
    const bytes = Buffer.from(this.buf)
    for (let at = start; ; ) {
      const found = bytes.indexOf('\n--', at)
      if (found < 0) return bytes.length
      at = found + 1
      if (this.#isBoundary(at)) return at
    }
  }

  #isBoundary(start: number): boolean {
    const { av: all } = this
    if (all[start] !== DASH || all[start + 1] !== DASH) return false
    return this.boundaries.some(({ value }) => {
      let at = start + 2
      for (const byte of value) {
        if (all[at] !== byte) return false
        at += 1
      }
      if (all[at] === DASH && all[at + 1] === DASH) at += 2
      while (all[at] === SPACE || all[at] === TAB || all[at] === CR) at += 1
      return at >= all.length || all[at] === LF
    })
  }

  override async collectNode(
    part: MimePart,
    alternative: MimePart | false,
    isRelated: boolean,
  ): Promise<void> {
    mendType(part)
    const { value, params } = part.contentType.parsed
    const isText =
      /^text\/(?:plain|html)$/.test(value) && part.contentDisposition.parsed.value !== 'attachment'
    if (isText && part.content !== null) {
      const kind = value === 'text/html' ? 'html' : 'plain'
      const text = textOf(part, part.content, this.charsets).slice(0, this.#room[kind]).toWellFormed()
      this.#room[kind] -= text.length
      const bytes = new TextEncoder().encode(text)
      part.content = bytes.buffer.slice(0, bytes.byteLength)
      params.charset = 'utf-8'
    }
    await super.collectNode(part, alternative, isRelated)
  }

  override collectAttachment(...args: Parameters<Internals['collectAttachment']>): void {
    super.collectAttachment(...args)
    const file = this.attachments.at(-1)
    const [{ contentDisposition, contentType }] = args
    const header = [contentDisposition, contentType].find(
      ({ parsed }, index) => parsed.params[index === 0 ? 'filename' : 'name'] !== undefined,
    )
    if (file === undefined || header === undefined) return
    const name = header.parsed.params[header === contentType ? 'name' : 'filename'] ?? ''
    file.filename = fileName(name, header.value, [...this.charsets])
  }
}

/** Treats a part with an invalid type, and a multipart without parts, as text, so that a person can read its words. */
function mendType(part: MimePart): void {
  const { contentType } = part
  const { parsed, value } = contentType
  const [type = ''] = /^[\w.+-]+\/[\w.+-]+(?=$|[\s,"'=])/.exec(parsed.value) ?? []
  const isEmptyMultipart =
    contentType.multipart !== false && part.childNodes.length === 0 && part.content !== null
  if (isEmptyMultipart) contentType.multipart = false
  parsed.value = type === '' || isEmptyMultipart ? 'text/plain' : type
  const charset = /\bcharset\s*=\s*["']?([^\s"';,]+)/i.exec(value)?.[1]
  if (parsed.params.charset === undefined && charset !== undefined) parsed.params.charset = charset
}

function textOf(part: MimePart, content: ArrayBuffer, charsets: Set<string>): string {
  const bytes = new Uint8Array(content, 0, Math.min(content.byteLength, TEXT_MAX * BYTES_OF_CHARACTER))
  const { value, params } = part.contentType.parsed
  const label = params.charset
  const meta = value === 'text/html' ? metaCharset(bytes) : null
  for (const each of [label, meta]) {
    const charset = charsetOf(each)
    if (charset !== null) charsets.add(charset)
  }
  return readText(bytes, [label, meta]).replaceAll('\r\n', '\n')
}

/** Browsers look for the charset within this many bytes. */
const META_BYTES = 4_096

function metaCharset(bytes: Uint8Array): string | null {
  const start = Buffer.from(bytes.subarray(0, META_BYTES)).toString('latin1').replaceAll('\0', '')
  return /<meta\s[^<>]{0,300}?charset\s*=\s*["']?([\w.:-]+)/i.exec(start)?.[1] ?? null
}
