import { isValidIn, readText } from './charset.ts'

/**
 * The character U+F700 plus a byte stands for a header's byte that is not UTF-8. These characters are for private use.
 */
const RAW_BYTE = 0xf700
const ENCODED_WORD = /=\?([^?\s]{1,100})\?([bq])\?((?:[^?=]|=(?!\?[^=])|\?(?!=))*)\?=/gi
/** The parser refuses longer headers. */
const LINE_MAX = 256 * 1_024
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/**
 * Returns a header line as UTF-8 without losing a byte: a byte that is not UTF-8 becomes a private character, which
 * `headerText` reads.
 */
export function keptBytes(line: Uint8Array): Uint8Array {
  if (line.length > LINE_MAX || !line.some((byte) => byte > 0x7f)) return line
  try {
    UTF8.decode(line)
    return line
  } catch {
    const signs = Array.from(line, (byte) => String.fromCharCode(byte > 0x7f ? RAW_BYTE + byte : byte))
    return Buffer.from(signs.join(''))
  }
}

/** Returns the head's lines, as `keptBytes` does for each line. */
export function keptLines(head: Buffer): string[] {
  const whole = head.toString()
  if (!whole.includes('\ufffd')) return linesOf(whole)
  return linesOf(head.toString('latin1')).map((line) =>
    Buffer.from(keptBytes(Buffer.from(line, 'latin1'))).toString(),
  )
}

/** Splits text into lines and removes the carriage returns at their ends, because some gateways write several. */
function linesOf(text: string): string[] {
  return text.split('\n').map((line) => {
    let end = line.length
    while (line[end - 1] === '\r') end -= 1
    return line.slice(0, end)
  })
}

/** Replaces the characters that `keptBytes` made of a header's bytes, because they cannot be part of an address. */
export function withoutRawBytes(value: string): string {
  return value.replace(/[\uf780-\uf7ff]/g, '\ufffd')
}

/** Reads an unstructured header: its encoded words, and bytes beyond ASCII. `hints` has the mail's other charsets. */
export function headerText(value: string, hints: readonly (string | null)[]): string {
  const pieces: string[] = []
  /** Encoded words of one charset that follow each other, because a character may be cut between them. */
  let words: { charset: string; bytes: Buffer[]; base64: string[] } | null = null
  let end = 0
  const flush = (): void => {
    if (words !== null) pieces.push(joinedText(words, hints))
    words = null
  }
  for (const found of value.matchAll(ENCODED_WORD)) {
    const [whole, label = '', encoding = '', content = ''] = found
    const between = value.slice(end, found.index)
    end = found.index + whole.length
    const isNext = words !== null && between.trim() === ''
    if (!isNext) {
      flush()
      pieces.push(rawText(between, hints))
    }
    const charset = label.split('*')[0]?.toLowerCase() ?? ''
    if (words !== null && words.charset !== charset) flush()
    words ??= { charset, bytes: [], base64: [] }
    const isBase64 = encoding.toLowerCase() === 'b'
    words.bytes.push(isBase64 ? Buffer.from(content, 'base64') : quotedBytes(content))
    if (isBase64) words.base64.push(content)
  }
  flush()
  pieces.push(rawText(value.slice(end), hints))
  return pieces.join('')
}

function joinedText(
  { charset, bytes, base64 }: { charset: string; bytes: readonly Buffer[]; base64: readonly string[] },
  hints: readonly (string | null)[],
): string {
  const joined = Buffer.concat(bytes)
  // Some programs cut the Base64 instead of the text.
  const isCut = base64.length === bytes.length && base64.length > 1 && !isValidIn(joined, charset)
  const whole = isCut ? Buffer.from(base64.join(''), 'base64') : joined
  return readText(isCut && isValidIn(whole, charset) ? whole : joined, [charset, ...hints])
}

function quotedBytes(content: string): Buffer {
  const plain = bytesOf(content).toString('latin1').replaceAll('_', ' ')
  const read = plain.replace(/=([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(read, 'latin1')
}

function rawText(value: string, hints: readonly (string | null)[]): string {
  return value.includes('\x1b') || /[\uf780-\uf7ff]/.test(value) ? readText(bytesOf(value), hints) : value
}

function bytesOf(value: string): Buffer {
  if (!/[\uf780-\uf7ff]/.test(value)) return Buffer.from(value)
  return Buffer.concat(
    value
      .split(/([\uf780-\uf7ff]+)/)
      .map((piece, index) =>
        index % 2 === 0
          ? Buffer.from(piece)
          : Buffer.from(Array.from(piece, (sign) => sign.charCodeAt(0) & 0xff)),
      ),
  )
}

/** Matches `filename*0*=utf-8''...` and a parameter's other parts, as RFC 2231 defines them. */
const EXTENDED_PART = /;\s*(?:file)?name\*(?:(\d{1,3})(\*)?)?\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))/gi

/**
 * Returns a file's name. `parameter` is the name as the mail parser read it, and `header` is the header that contains
 * it. This reads the header's extended parameters again, because the parser may have read them in a wrong charset.
 */
export function fileName(parameter: string, header: string, hints: readonly (string | null)[]): string {
  const parts = [...header.matchAll(EXTENDED_PART)].map(([, number, star, quoted, token]) => ({
    at: Number(number ?? 0),
    isEncoded: number === undefined || star !== undefined,
    value: quoted?.replace(/\\(.)/g, '$1') ?? token ?? '',
  }))
  const [first] = parts.sort((a, b) => a.at - b.at)
  const [, charset = '', start = ''] = /^([^']*)'[^']*'(.*)$/s.exec(first?.value ?? '') ?? []
  if (first === undefined || !first.isEncoded || charset === '') return headerText(parameter, hints)
  const bytes = parts.map(({ isEncoded, value }, index) => {
    const text = index === 0 ? start : value
    return isEncoded ? percentBytes(text) : bytesOf(text)
  })
  return readText(Buffer.concat(bytes), [charset, ...hints])
}

function percentBytes(text: string): Buffer {
  const latin1 = bytesOf(text).toString('latin1')
  const read = latin1.replace(/%([0-9a-f]{2})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return Buffer.from(read, 'latin1')
}
