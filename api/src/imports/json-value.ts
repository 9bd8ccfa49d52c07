const BORDER = /["[\]{}]/g
const IN_TEXT = /["\\]/g
const AFTER_NUMBER = /[\s,\]}]/

/** Reads one JSON value, piece by piece, to its end. It only looks for the end, and does not judge the value. */
export class JsonValueReader {
  #parts: string[] = []
  #length = 0
  #depth = 0
  #inText = false
  /** Whether a backslash at the end of the last piece escapes the next character. */
  #escapes = false
  isOver = false

  /** Whether the value can end with the file: only a number or a word can. */
  get isNumber(): boolean {
    return this.#depth === 0 && !this.#inText && this.#length > 0
  }

  /** Returns the value's text, or null if it has more than `max` characters. */
  value(max: number): string | null {
    return this.#length > max ? null : this.#parts.join('')
  }

  /** Reads a piece from an index on. Returns the index behind the value, or the end of the piece. */
  read(text: string, from: number): number {
    const to = this.#endIn(text, from)
    this.#length += to - from
    // A value that is too long is read to its end, but not kept.
    if (this.#length > KEPT_MAX) this.#parts = []
    else this.#parts.push(text.slice(from, to))
    return to
  }

  #endIn(text: string, from: number): number {
    let at = from
    while (at < text.length && !this.isOver) {
      if (this.#inText) at = this.#afterText(text, at)
      else if (this.#depth > 0) at = this.#afterBorder(text, at)
      else if (at + this.#length > from && AFTER_NUMBER.test(text[at] as string)) {
        this.isOver = true
        return at
      } else at = this.#afterCharacter(text[at] as string, at)
    }
    return at
  }

  #afterText(text: string, at: number): number {
    if (this.#escapes) {
      this.#escapes = false
      return at + 1
    }
    IN_TEXT.lastIndex = at
    const found = IN_TEXT.exec(text)
    if (found === null) return text.length
    if (found[0] === '\\') this.#escapes = true
    else {
      this.#inText = false
      this.isOver = this.#depth === 0
    }
    return found.index + 1
  }

  #afterBorder(text: string, at: number): number {
    BORDER.lastIndex = at
    const found = BORDER.exec(text)
    return found === null ? text.length : this.#afterCharacter(found[0], found.index)
  }

  #afterCharacter(character: string, at: number): number {
    if (character === '"') this.#inText = true
    else if (character === '{' || character === '[') this.#depth += 1
    else if ((character === '}' || character === ']') && this.#depth > 0) {
      this.#depth -= 1
      this.isOver = this.#depth === 0
    }
    return at + 1
  }
}

/** The most characters that are kept of one value. */
const KEPT_MAX = 64 * 1_024 * 1_024
