import { POST_ALIGNMENTS, POST_IMAGE } from '@proctorpass/shared/post-format'
import { Delta } from 'quill'
import type { Line } from './lines.ts'
import { paletteColor } from './palette.ts'

export type Formats = Record<string, unknown>

/** Thrown for HTML that the editor cannot show, which is then kept as a block. */
export class NotShown extends Error {}

/** Throws if the element has other attributes. */
export function allow(element: Element, ...names: string[]): void {
  if (element.getAttributeNames().some((name) => !names.includes(name))) throw new NotShown()
}

/** Returns the formats that a block's classes say. */
export function classFormats(element: Element): Formats {
  const formats: Formats = {}
  for (const name of element.classList) {
    const [, kind = '', value = ''] = /^ql-(align|indent|direction)-([a-z]+|[1-8])$/.exec(name) ?? []
    const isKnown =
      kind === 'align'
        ? (POST_ALIGNMENTS as readonly string[]).includes(value)
        : kind === 'indent'
          ? /^[1-8]$/.test(value)
          : name === 'ql-direction-rtl'
    if (!isKnown || formats[kind] !== undefined) throw new NotShown()
    formats[kind] = kind === 'indent' ? Number(value) : value
  }
  return formats
}

/** Reads one line of text, with its spaces as the page shows them. */
export function lineOf(nodes: Iterable<Node>, formats: Formats): Line {
  const text = new InlineText()
  for (const node of nodes) readInline(node, {}, text)
  const attributes = Object.keys(formats).length > 0 && { attributes: formats }
  return [...text.end().ops, { insert: '\n', ...attributes }]
}

/** Collects text as a page shows it: white space becomes one space, and disappears at the ends of a line. */
class InlineText {
  readonly #delta = new Delta()
  #space: Formats | null = null
  #isAtStart = true

  text(text: string, formats: Formats): void {
    for (const part of text.split(/([ \t\n\f\r]+)/)) {
      if (part === '') continue
      if (/^[ \t\n\f\r]/.test(part)) this.#space ??= formats
      else {
        this.#flush()
        this.#delta.insert(part, formats)
        this.#isAtStart = false
      }
    }
  }

  embed(embed: Record<string, unknown>, formats: Formats): void {
    this.#flush()
    this.#delta.insert(embed, formats)
    this.#isAtStart = false
  }

  break(formats: Formats): void {
    this.#space = null
    this.#delta.insert({ 'soft-break': true }, formats)
    this.#isAtStart = true
  }

  /** Returns the text without a line break at the end, because no page shows it. */
  end(): Delta {
    const last = this.#delta.ops.at(-1)
    const isBreak = typeof last?.insert === 'object' && 'soft-break' in last.insert
    return isBreak ? this.#delta.slice(0, this.#delta.length() - 1) : this.#delta
  }

  #flush(): void {
    if (this.#space && !this.#isAtStart) this.#delta.insert(' ', this.#space)
    this.#space = null
  }
}

const TEXT_FORMATS: Record<string, Formats> = {
  strong: { bold: true },
  b: { bold: true },
  em: { italic: true },
  i: { italic: true },
  u: { underline: true },
  s: { strike: true },
  strike: { strike: true },
  del: { strike: true },
  sub: { script: 'sub' },
  sup: { script: 'super' },
  code: { code: true },
  span: {},
  a: {},
}

function readInline(node: Node, formats: Formats, text: InlineText): void {
  if (node instanceof Text) text.text(node.data, formats)
  else if (!(node instanceof Element)) throw new NotShown()
  else if (node.localName === 'br') {
    allow(node)
    text.break(formats)
  } else if (node.localName === 'img') {
    text.embed({ image: imageOf(node) }, { ...formats, ...imageFormats(node) })
  } else readElement(node, formats, text)
}

function readElement(node: Element, formats: Formats, text: InlineText): void {
  const { localName } = node
  const own = TEXT_FORMATS[localName]
  if (!own) throw new NotShown()
  allow(node, 'class', ...(localName === 'a' ? ['href', 'rel'] : localName === 'span' ? ['style'] : []))
  const all = { ...formats, ...own, ...textClasses(node), ...colors(node) }
  // Nested formats of this kind add up to something else, or to something that the editor cannot show.
  for (const format of ['script', 'size']) {
    if (formats[format] !== undefined && all[format] !== formats[format]) throw new NotShown()
    if (format === 'size' && formats.size !== undefined && node.className.includes('ql-size'))
      throw new NotShown()
  }
  if (localName === 'a') all.link = node.getAttribute('href')
  for (const child of node.childNodes) readInline(child, all, text)
}

function textClasses(element: Element): Formats {
  const formats: Formats = {}
  for (const name of element.classList) {
    const [, kind = '', value = ''] = /^ql-(color|bg|font|size)-([a-z]+)$/.exec(name) ?? []
    const format = kind === 'bg' ? 'background' : kind
    if (format === '' || formats[format] !== undefined) throw new NotShown()
    formats[format] = value
  }
  return formats
}

/** Reads the element's own colors. Once the text is changed, the palette's colors replace them. */
function colors(element: Element): Formats {
  const formats: Formats = {}
  for (const declaration of (element.getAttribute('style') ?? '').split(';')) {
    const [name = '', value = ''] = declaration.split(':')
    const format = { color: 'color', 'background-color': 'background' }[name.trim()]
    if (format === undefined) continue
    const color = paletteColor(value.trim())
    if (color !== null) formats[format] = color
  }
  return formats
}

function imageOf(image: Element): string {
  allow(image, 'src', 'alt', 'data-decorative', 'width', 'height', 'loading', 'decoding')
  const src = image.getAttribute('src') ?? ''
  if (!POST_IMAGE.test(src)) throw new NotShown()
  return src
}

function imageFormats(image: Element): Formats {
  const formats: Formats = { alt: image.getAttribute('alt') ?? '' }
  for (const name of ['width', 'height', 'data-decorative']) {
    if (image.hasAttribute(name)) formats[name] = image.getAttribute(name)
  }
  return formats
}
