/** IDs that a page's own elements have. */
const TAKEN = ['root', 'menu', 'main', 'page-state', 'live-chat-pressed', 'related-content', 'article-text']

/** A letter of another script with its marks, or what an ID keeps of Latin text. */
const KEPT = /((?!\p{Script=Latin})\p{L}\p{M}*|[a-z0-9]|\p{Nd})|./gsu

/** Makes IDs from the headings of one page, each once. They are the fragments of links, so they must not change. */
export class HeadingIds {
  readonly #given: Set<string>
  /** The highest number that was added to an ID. */
  readonly #last = new Map<string, number>()
  #count = 0

  /** `others` has IDs that the page gives to other elements. */
  constructor(others: readonly string[] = []) {
    this.#given = new Set([...TAKEN, ...others])
  }

  of(text: string): string {
    this.#count += 1
    const words = text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/\p{Script=Latin}/gu, (letter) => letter.normalize('NFKD'))
      .replace(/['’]/g, '')
      .replace(KEPT, (_character, kept: string | undefined) => kept ?? '-')
      .replace(/-+/g, '-')
      .replace(/^-|-$/g, '')
    const base = words || `part-${this.#count}`
    let id = base
    for (let n = (this.#last.get(base) ?? 1) + 1; this.#given.has(id); n += 1) {
      id = `${base}-${n}`
      this.#last.set(base, n)
    }
    this.#given.add(id)
    return id
  }
}
