import { COMMON_WORDS } from './common-words.ts'

/** The number of characters that are estimated. More characters would cost time and change no verdict. */
const LENGTH_MAX = 1_024
/** The length of the substrings that identify words, keyboard rows, and repetitions. */
const PIECE = 4
/** Bits of a character in a common word's substring of PIECE characters, and in a three-letter one. */
const WORD_BITS = 0.05
const SYLLABLE_BITS = 2

const LOOKALIKES: Record<string, string> = {
  0: 'o',
  1: 'i',
  3: 'e',
  4: 'a',
  5: 's',
  7: 't',
  '@': 'a',
  $: 's',
}

const pieces = new Set<string>()
const syllables = new Set<string>()
for (const word of COMMON_WORDS) {
  const text = ` ${word} `
  for (let at = 0; at < text.length; at += 1) {
    if (at + PIECE <= text.length) pieces.add(text.slice(at, at + PIECE))
    if (at + 3 <= text.length) syllables.add(text.slice(at, at + 3))
  }
}

/**
 * Estimates a secret's entropy against an attacker who knows English words, keyboard rows, sequences, and repetition.
 * The estimate is too low for random secrets, because random characters can look like a word.
 * @see docs/decisions/0038-secrets-and-sessions.md
 */
export function entropyBits(secret: string): number {
  const text = secret.slice(0, LENGTH_MAX)
  // A repeated piece was typed, even if the piece itself looks random.
  if ((text + text).indexOf(text, 1) < text.length) return 0
  const lowered = text.toLowerCase()
  const plain = ` ${lowered.replace(/[^a-z0-9]/g, ' ')} `
  const spelled = ` ${[...lowered]
    .map((sign) => LOOKALIKES[sign] ?? sign)
    .join('')
    .replace(/[^a-z0-9]/g, ' ')} `

  // The bits of each character. The first and the last belong to the spaces around the secret.
  const bits = new Array<number>(plain.length).fill(Math.log2(new Set(text).size))
  const lower = (from: number, length: number, to: number) => {
    for (let at = from; at < from + length; at += 1) bits[at] = Math.min(bits[at] ?? 0, to)
  }
  for (const written of plain === spelled ? [plain] : [plain, spelled]) {
    for (let at = 0; at < written.length; at += 1) {
      if (syllables.has(written.slice(at, at + 3))) lower(at, 3, SYLLABLE_BITS)
      if (pieces.has(written.slice(at, at + PIECE))) lower(at, PIECE, WORD_BITS)
    }
  }
  const seen = new Set<string>()
  for (let at = 1; at + 1 < plain.length; at += 1) {
    const piece = plain.slice(at, at + PIECE)
    if (seen.has(piece)) lower(at, PIECE, WORD_BITS)
    seen.add(piece)
    // Three characters form a sequence: 123, cba, 000.
    const step = plain.charCodeAt(at + 1) - plain.charCodeAt(at)
    if (Math.abs(step) <= 1 && plain.charCodeAt(at + 2) - plain.charCodeAt(at + 1) === step) {
      lower(at, 3, WORD_BITS)
    }
  }
  return bits.slice(1, -1).reduce((sum, each) => sum + each, 0)
}
