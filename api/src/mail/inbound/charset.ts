import { TextDecoder } from 'node:util'
import iconv from 'iconv-lite'
import { guessText } from './charset-guess.ts'

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const ESCAPE = 0x1b
/** The escapes with which ISO-2022-JP changes to a Japanese set. */
const JAPANESE_ESCAPES = ['\x1b$@', '\x1b$B', '\x1b(J', '\x1b(I']
const KOREAN_ESCAPE = '\x1b$)C'
/**
 * Labels of `TextDecoder` in which most bytes above 127 are Latin letters: such text is hardly ever valid UTF-8 too.
 */
const LATIN = /^(?:windows-125[0247]|iso-8859-(?:[1234]|1[03456])|macintosh)$/
/** Valid UTF-8 with fewer different two-byte characters can be Chinese, such as 谢谢 in GB2312. */
const SURE_CHARACTERS = 4
/** Encodings that `iconv-lite` knows and that are not charsets. */
const NO_CHARSETS = /^(?:base64|hex|binary|ucs-?2|utf-?16.*|internal)$/i

/**
 * Reads bytes whose charset is known only from what the mail says, which is often wrong: it tries strict UTF-8 first,
 * then the labels in their order, then what the bytes suggest. U+FFFD stands only for bytes that no charset can read.
 * Takes linear time.
 *
 * @param labels null for a missing one
 */
export function readText(bytes: Uint8Array, labels: readonly (string | null | undefined)[]): string {
  const names = [...new Set(labels.flatMap((label) => charsetOf(label) ?? []))]
  const marked = withMark(bytes)
  if (marked !== null) return marked
  const wide = bytes.includes(0) ? wideCharset(bytes, names) : null
  if (wide !== null) {
    // A line break that was added to the body does not belong to its characters.
    const size = wide.startsWith('utf-32') ? 4 : 2
    return decoded(bytes.subarray(0, bytes.length - (bytes.length % size)), wide) ?? ''
  }
  const isSevenBit = !bytes.some((byte) => byte > 0x7f)
  if (isSevenBit) return sevenBitText(bytes, names)
  const utf8 = strictly(UTF8, bytes)
  if (utf8 !== null && !isRatherIn(names[0], utf8, bytes)) return utf8
  for (const name of names) {
    if (name === 'utf-8') continue
    const text = decoded(bytes, name)
    if (text !== null && !text.includes('\ufffd')) return text
  }
  return utf8 ?? guessText(bytes)
}

/** Returns the charset's name as the decoders know it; null for a label that no decoder knows. */
export function charsetOf(label: string | null | undefined): string | null {
  const [name = ''] = /[\w.:+-]+/.exec(label ?? '') ?? []
  const short = name.toLowerCase().replace(/^(?:x-ms-|x-|cs)(?=cp|windows|unicode|iso)/, '')
  // Text labeled as ASCII can still have bytes above 127, which ASCII does not define: the bytes decide then.
  if (/^(?:us-?ascii|ascii|ansi_x3.4-1968|646)$/.test(short)) return null
  if (/^(?:unicode-1-1-)?utf-?7$/.test(short)) return 'utf-7'
  if (/^(?:hz|hz-gb-?2312)$/.test(short)) return 'hz'
  if (/^(?:cs)?iso-?2022-?kr$/.test(short)) return 'iso-2022-kr'
  if (/^iso-?2022-?jp/.test(short) || /^(?:cp)?5022[0-2]$/.test(short)) return 'iso-2022-jp'
  if (/^utf-?32/.test(short)) return short.replace('utf32', 'utf-32')
  const page = /^(?:cp|ms|windows|ibm)-?(932|936|949|950|874)$/.exec(short)?.[1]
  const known = page === undefined ? short : PAGES[page]
  for (const each of [known, name.toLowerCase(), short.replace(/[_.]/g, '-')]) {
    const encoding = each === undefined ? null : standardName(each)
    if (encoding !== null) return encoding
  }
  if (NO_CHARSETS.test(short)) return null
  return iconv.encodingExists(short) ? short : null
}

const PAGES: Partial<Record<string, string>> = {
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  874: 'windows-874',
}

/**
 * Node's tables are incomplete: Big5 lacks the kana and Cyrillic letters, and EUC-KR lacks everything that Windows adds
 * to it (most syllables, and the euro sign).
 */
const INCOMPLETE = /^(?:big5|euc-kr)$/

/** Decoders by name, because making one takes longer than decoding a few words. */
const decoders = new Map<string, TextDecoder>()

function decoderOf(name: string): TextDecoder | null {
  const known = decoders.get(name)
  if (known !== undefined) return known
  if (standardName(name) !== name) return null
  const decoder = new TextDecoder(name)
  decoders.set(name, decoder)
  return decoder
}

function standardName(label: string): string | null {
  try {
    const { encoding } = new TextDecoder(label)
    return encoding === 'x-user-defined' ? null : encoding
  } catch {
    return null
  }
}

/**
 * Finds UTF-16 by its zeros: the high bytes of most letters, spaces, and line breaks are 0. Null for text that merely
 * contains zeros.
 */
function wideCharset(bytes: Uint8Array, names: readonly string[]): string | null {
  const named = names.find((name) => /^utf-(?:16|32)/.test(name))
  if (named?.startsWith('utf-32')) return named
  let [even, odd] = [0, 0]
  for (let index = 0; index < bytes.length; index += 1) {
    if (bytes[index] !== 0) continue
    if (index % 2 === 0) even += 1
    else odd += 1
  }
  const isPlain = bytes.length < 4 || Math.min(even, odd) > 0 || Math.max(even, odd) * 4 < bytes.length
  if (named === undefined && isPlain) return null
  return even > odd ? 'utf-16be' : 'utf-16le'
}

/** Decodes text that begins with a byte order mark; null without one. */
function withMark(bytes: Uint8Array): string | null {
  const [first, second, third, fourth] = bytes
  if (first === 0xef && second === 0xbb && third === 0xbf) return strictly(UTF8, bytes.subarray(3))
  if (first === 0xff && second === 0xfe && third === 0 && fourth === 0) return decoded(bytes, 'utf-32')
  if (first === 0xff && second === 0xfe) return decoded(bytes.subarray(2), 'utf-16le')
  return first === 0xfe && second === 0xff ? decoded(bytes.subarray(2), 'utf-16be') : null
}

/** Decodes charsets that switch their sets within ASCII. Those that no escape introduces need a label. */
function sevenBitText(bytes: Uint8Array, names: readonly string[]): string {
  const ascii = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  if (names.includes('utf-7')) return iconv.decode(bytes, 'utf-7')
  if (names.includes('hz')) return shifted(ascii, '~{', '~}', 'gbk').replaceAll('~~', '~')
  if (!bytes.includes(ESCAPE)) return ascii
  if (ascii.includes(KOREAN_ESCAPE))
    return shifted(ascii.replaceAll(KOREAN_ESCAPE, ''), '\x0e', '\x0f', 'euc-kr')
  return JAPANESE_ESCAPES.some((change) => ascii.includes(change))
    ? (decoded(bytes, 'iso-2022-jp') ?? ascii)
    : ascii
}

/** Decodes text between two marks as characters of a charset whose high bits were removed. */
function shifted(ascii: string, start: string, end: string, name: string): string {
  return ascii
    .split(start)
    .map((piece, index) => {
      if (index === 0) return piece
      const length = piece.indexOf(end)
      const [inside, after] =
        length < 0 ? [piece, ''] : [piece.slice(0, length), piece.slice(length + end.length)]
      const high = Buffer.from(inside, 'latin1').map((byte) => (byte > 0x20 ? byte | 0x80 : byte))
      return (decoded(high, name) ?? inside) + after
    })
    .join('')
}

/** Whether a charset can read all of the bytes. */
export function isValidIn(bytes: Uint8Array, label: string): boolean {
  const name = charsetOf(label)
  return name !== null && decoded(bytes, name)?.includes('\ufffd') === false
}

/** Whether bytes that are valid UTF-8 are more likely in the charset that the mail names. */
function isRatherIn(name: string | undefined, utf8: string, bytes: Uint8Array): boolean {
  if (name === undefined || /^utf-/.test(name) || LATIN.test(name)) return false
  const signs = new Set(utf8.match(/[^\0-\x7f]/gu))
  if (signs.size >= SURE_CHARACTERS || [...signs].some((sign) => sign > '\u07ff')) return false
  // A Latin letter next to an ASCII letter is part of its word.
  if (/[a-z]\p{Script=Latin}|\p{Script=Latin}[a-z]/iu.test(utf8.replace(/[a-z]{2,}/gi, 'a'))) return false
  return decoded(bytes, name)?.includes('\ufffd') === false
}

function strictly(decoder: TextDecoder, bytes: Uint8Array): string | null {
  try {
    return decoder.decode(bytes)
  } catch {
    return null
  }
}

function decoded(bytes: Uint8Array, name: string): string | null {
  const decoder = INCOMPLETE.test(name) ? null : decoderOf(name)
  if (decoder !== null) return decoder.decode(bytes)
  return iconv.encodingExists(name) ? iconv.decode(bytes, name) : null
}
