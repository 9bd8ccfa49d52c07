/** A text in the form in which it is compared. Each of its UTF-16 units comes from a range in the original. */
export interface Folded {
  text: string
  startOf(unit: number): number
  endOf(unit: number): number
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: all of ASCII.
const ASCII = /^[\x00-\x7f]*$/
/** Matches ASCII and Chinese characters, whose only other form is lower case. */
const PLAIN = /^[\p{ASCII}\u3400-\u4dbf\u4e00-\u9fff]+$/u
/**
 * Matches a unit that is normalized as a whole: a run of plain characters, a character with its marks (also halfwidth
 * ones), or the parts of a Hangul syllable. A long run of marks is cut, so that no text costs more than its length.
 */
const CLUSTER =
  /[\p{ASCII}\u3400-\u4dbf\u4e00-\u9fff]+(?![\p{M}\uff9e\uff9f])|[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]{1,8}|.[\p{M}\uff9e\uff9f]{0,8}/gsu
/** The scripts whose marks are accents or vowel points; marks of other scripts spell words. */
const ACCENTED = /[\p{sc=Zinh}\p{sc=Latn}\p{sc=Grek}\p{sc=Cyrl}\p{sc=Hebr}\p{sc=Arab}]/u
/** Marks that turn Japanese letters into other letters. */
const VOICING = ['\u3099', '\u309a']
/**
 * Matches invisible characters (joiners, soft hyphens, variation selectors), the Arabic tatweel, and enclosing marks,
 * as on keycaps.
 */
const IGNORED = /[\p{DI}\p{Me}\u0640]/gu
/**
 * Letters that Unicode does not decompose, each followed by what people type for it. `Intl.Collator` can only compare
 * letters, and knows half of these.
 */
const PLAIN_LETTERS = new Map(
  'øo łl đd ðd ɖd ɗd ħh ŧt ŋn ɲn ɓb ƀb ƙk ĸk ɠg ǥg ƒf ƴy ɨi ʉu əe ɛe ɔo ɩi ʋv ƶz þth æae œoe ٱا ىي یي کك ةه ہه ھه ەه ۃه'
    .split(' ')
    .map((pair) => [pair.slice(0, 1), pair.slice(1)] as const),
)
const OTHER_LETTERS = /[\u00e6-\u02ff\u0629-\u06d5]/g
/** Matches a vowel mark and a tone mark in Thai or Lao, which people type in either order. */
const VOWEL_BEFORE_TONE = /([\u0e4d\u0ecd])([\u0e48-\u0e4b\u0ec8-\u0ecb])/g

const FOLDED_MAX = 20_000
const folded = new Map<string, string>()

/** Folds a text: NFKC in lower case, without accents, with ASCII digits. */
export function fold(text: string): Folded {
  if (ASCII.test(text)) {
    return { text: text.toLowerCase(), startOf: (unit) => unit, endOf: (unit) => unit + 1 }
  }
  const starts: number[] = []
  const ends: number[] = []
  let result = ''
  for (const { cluster, index, part } of foldedParts(text)) {
    result += part
    const isPlain = PLAIN.test(cluster)
    for (let unit = 0; unit < part.length; unit++) {
      starts.push(isPlain ? index + unit : index)
      ends.push(isPlain ? index + unit + 1 : index + cluster.length)
    }
  }
  return { text: result, startOf: (unit) => starts[unit] ?? 0, endOf: (unit) => ends[unit] ?? text.length }
}

/** Returns only `fold`'s text, for callers that need no ranges: an Arabic ligature becomes eighteen characters. */
export function foldText(text: string): string {
  if (ASCII.test(text)) return text.toLowerCase()
  let result = ''
  for (const { part } of foldedParts(text)) result += part
  return result
}

function* foldedParts(text: string): Iterable<{ cluster: string; index: number; part: string }> {
  for (const { 0: cluster, index } of text.matchAll(CLUSTER)) {
    yield { cluster, index, part: PLAIN.test(cluster) ? cluster.toLowerCase() : foldCluster(cluster) }
  }
}

function foldCluster(cluster: string): string {
  const known = folded.get(cluster)
  if (known !== undefined) return known
  // Upper case makes ß and ss, ς and σ, and the dotless ı and i the same.
  const lower = withoutAccents(cluster).toUpperCase().toLowerCase()
  const result = withoutAccents(lower)
    .replace(IGNORED, '')
    .replaceAll('ς', 'σ')
    .replace(OTHER_LETTERS, (letter) => PLAIN_LETTERS.get(letter) ?? letter)
    .replace(VOWEL_BEFORE_TONE, '$2$1')
    .replace(/\p{Nd}/gu, digitOf)
    .normalize('NFKC')
  // NFKC decomposes an accent without a letter into a space and a mark. The space would split a query's word.
  const kept = /^\S/.test(cluster) ? result.replace(/^ /, "'") : result
  if (folded.size >= FOLDED_MAX) folded.clear()
  folded.set(cluster, kept)
  return kept
}

/** Returns the text decomposed and without its accents. */
function withoutAccents(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, (mark) => (ACCENTED.test(mark) && !VOICING.includes(mark) ? '' : mark))
}

/** Returns the ASCII digit for a digit in any script. Every script's digits are consecutive, from zero to nine. */
function digitOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  let first = code
  while (/\p{Nd}/u.test(String.fromCodePoint(first - 1))) first -= 1
  return String((code - first) % 10)
}
