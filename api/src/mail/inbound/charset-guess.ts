import { analyse } from 'chardet'
import iconv from 'iconv-lite'

/** Bytes that the guess examines. */
const SAMPLE_BYTES = 20_000
/**
 * The lowest confidence of `chardet`, of 100, that counts. For a few words it gives 10 to every charset in which the
 * bytes are valid.
 */
const KNOWN = 11
const SURE = 30
const LATIN = /^(?:ISO-8859-[129]|windows-125[024])$/
const EAST_ASIAN = /^(?:Shift_JIS|EUC-JP|EUC-KR|GB18030|Big5)$/
const OTHER_SCRIPT = /^(?:ISO-8859-[5678]|windows-(?:125[1356]|874)|KOI8-R)/
/** Matches whole UTF-8 characters; the last alternative is a byte that belongs to none. */
const UTF8_PIECES =
  /(?:[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3})+|[\x80-\xff]/g
/** The characters of windows-1252 where ISO-8859-1, and JavaScript's `latin1`, have control characters. */
const WINDOWS_1252 = new TextDecoder('windows-1252').decode(
  Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index),
)
const CUT_CHARACTER = /[\xc2-\xf4][\x80-\xbf]{0,2}$/

/** Returns the text of bytes that are not valid UTF-8, and that no charset named by the mail can read. */
export function guessText(bytes: Uint8Array): string {
  const mended = mendedUtf8(bytes)
  if (mended !== null) return mended
  const name = charsetBySigns(bytes.subarray(0, SAMPLE_BYTES))
  const text = new TextDecoder(name).decode(bytes)
  if (name !== 'windows-1252' && !text.includes('\ufffd')) return text
  const western = new TextDecoder('windows-1252').decode(bytes)
  // Bytes without a character in windows-1252 are letters of a DOS code page.
  return /[\x80-\x9f]/.test(western) ? iconv.decode(bytes, 'cp850') : western
}

/**
 * Returns text that is UTF-8 except for some bytes, such as a footer in windows-1252 or a cut last character; null if
 * most bytes are not UTF-8.
 */
function mendedUtf8(bytes: Uint8Array): string | null {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const [cut = ''] = CUT_CHARACTER.exec(latin1.slice(-3)) ?? []
  let [whole, broken] = [0, 0]
  const text = latin1.slice(0, latin1.length - cut.length).replace(UTF8_PIECES, (piece) => {
    const read = piece.length === 1 ? '\ufffd' : Buffer.from(piece, 'latin1').toString()
    if (!read.includes('\ufffd')) {
      whole += read.length
      return read
    }
    broken += piece.length
    return piece.replace(/[\x80-\x9f]/g, (sign) => WINDOWS_1252[sign.charCodeAt(0) - 0x80] ?? sign)
  })
  return whole > broken ? text + (cut === '' ? '' : '\ufffd') : null
}

function charsetBySigns(sample: Uint8Array): string {
  for (const name of ['shift_jis', 'euc-jp']) if (shareIn(sample, name, KANA) >= 0.3) return name
  const latin1 = Buffer.from(sample).toString('latin1')
  if (latin1.length > 4 && shareIn(sample, 'euc-kr', HANGUL) >= 0.9) return 'euc-kr'
  const found = analyse(sample)
  const best = (names: RegExp, least: number) =>
    found.find(({ name, confidence }) => names.test(name) && confidence >= least)?.name
  const chinese = best(/^(?:GB18030|Big5)$/, SURE)
  if (chinese !== undefined) return chinese
  const words = (latin1.match(/[A-Za-z\x80-\xff]+/g) ?? []).filter((word) => /[\x80-\xff]/.test(word))
  const mixed = words.filter((word) => /[A-Za-z]/.test(word))
  if (mixed.length * 2 >= words.length) {
    // Such text has letters where windows-1252 has none, although both charsets are equally likely.
    if (/[\x8d\x8f\x9d]/.test(latin1) && best(/^windows-1250$/, KNOWN) !== undefined) return 'windows-1250'
    return best(LATIN, KNOWN) ?? 'windows-1252'
  }
  const eastAsian = /^(?:[\0-\x7f]|[\xa1-\xf7][\xa1-\xfe])*$/.test(latin1) ? 'gb18030' : best(EAST_ASIAN, 0)
  return best(OTHER_SCRIPT, KNOWN) ?? eastAsian ?? 'windows-1252'
}

const KANA = /[\u3041-\u30fe]/g
const HANGUL = /[\uac00-\ud7a3]/g

/** Returns the share of characters beyond ASCII that are in a script; 0 where the bytes are invalid. */
function shareIn(bytes: Uint8Array, name: string, script: RegExp): number {
  const text = new TextDecoder(name).decode(bytes)
  const all = text.match(/[^\0-\x7f]/g)?.length ?? 0
  return all === 0 || text.slice(0, -1).includes('\ufffd') ? 0 : (text.match(script)?.length ?? 0) / all
}
