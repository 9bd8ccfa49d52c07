const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'
/** The largest multiple of 62 in a byte. A larger bound would favor the first letters. */
const EVEN_BYTES = 248

/** Returns unguessable letters and digits. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    for (const byte of crypto.getRandomValues(new Uint8Array(length))) {
      if (byte < EVEN_BYTES && text.length < length) text += LETTERS[byte % LETTERS.length]
    }
  }
  return text
}
