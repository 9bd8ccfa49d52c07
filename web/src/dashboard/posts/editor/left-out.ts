/** Names what could not be pasted, one or several. */
const KINDS = {
  'other-site': ['a picture from another site', 'pictures from other sites'],
  local: ['a picture from a file on your computer', 'pictures from files on your computer'],
  type: ['a picture of a type that posts can’t have', 'pictures of types that posts can’t have'],
  media: ['an embedded item', 'embedded items'],
  drawing: ['a drawing', 'drawings'],
  field: ['a form field', 'form fields'],
  rule: ['a horizontal line', 'horizontal lines'],
} as const

export type LeftOutKind = keyof typeof KINDS

const HOSTED = 'iframe, video, audio, object, embed, frame, applet'
const FIELDS = 'input:not([type="hidden" i], [type="checkbox" i]), select, textarea, meter, progress'

const LIST = new Intl.ListFormat('en-US')

export class LeftOutItems {
  readonly #counts = new Map<LeftOutKind, number>()

  add(kind: LeftOutKind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1)
  }

  /** Returns one sentence, or an empty text if nothing was left out. */
  toString(): string {
    const parts = [...this.#counts].map(([kind, count]) =>
      count === 1 ? KINDS[kind][0] : `${count} ${KINDS[kind][1]}`,
    )
    if (parts.length === 0) return ''
    const isOne = parts.length === 1 && this.#counts.values().next().value === 1
    const hasPicture = ['other-site', 'local', 'type'].some((kind) => this.#counts.has(kind as LeftOutKind))
    const help = hasPicture ? ' Save each picture as a file, and insert it with Image.' : ''
    return `${capitalized(LIST.format(parts))} ${isOne ? 'was' : 'were'} left out.${help}`
  }
}

/** Returns the text in place of something that was left out. */
export function markOf(kind: LeftOutKind, name: string): string {
  return `${capitalized(KINDS[kind][0])} was left out${name === '' ? '' : `: ${name}`}`
}

const capitalized = (words: string) => words.charAt(0).toUpperCase() + words.slice(1)

/**
 * Replaces everything that a post cannot have by marks. The clipboard judges each picture on its own.
 *
 * @param isPlayer returns whether an address belongs to a video's player
 */
export function markLeftOut(page: Document, items: LeftOutItems, isPlayer: (src: string) => boolean): void {
  for (const element of page.body.querySelectorAll(HOSTED)) {
    const src = element.getAttribute('src') ?? element.getAttribute('data') ?? ''
    if (element.localName === 'iframe' && isPlayer(src)) continue
    replace(element, 'media', URL.canParse(src) ? new URL(src).hostname : '', items)
  }
  for (const element of page.body.querySelectorAll('svg, canvas, math')) {
    const isIcon = element.closest('button, [aria-hidden="true" i]') !== null
    if (!isIcon) replace(element, 'drawing', element.querySelector('title')?.textContent?.trim() ?? '', items)
    else element.remove()
  }
  for (const element of page.body.querySelectorAll(FIELDS)) {
    items.add('field')
    element.remove()
  }
  for (const element of page.body.querySelectorAll('hr')) {
    items.add('rule')
    element.replaceWith(page.createElement('p'))
  }
}

function replace(element: Element, kind: LeftOutKind, name: string, items: LeftOutItems): void {
  if (!element.isConnected) return
  items.add(kind)
  element.replaceWith(markElement(element.ownerDocument, markOf(kind, name)))
}

/** Makes a mark that the editor can read. */
function markElement(page: Document, reason: string): HTMLElement {
  const mark = page.createElement('span')
  mark.className = 'ql-left-out'
  mark.dataset.reason = reason
  return mark
}
