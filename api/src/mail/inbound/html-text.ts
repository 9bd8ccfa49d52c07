import { readHtml } from './html-tags.ts'
import { createLineWriter, type Line, type Mark } from './line-writer.ts'

/** Elements that hold no text, or text that is not shown. */
const LEFT_OUT = new Set([
  ...['script', 'style', 'head', 'title', 'template', 'noscript', 'object', 'svg', 'math', 'audio', 'video'],
])
const BLOCKS = new Set([
  ...[
    'address',
    'article',
    'aside',
    'blockquote',
    'body',
    'caption',
    'center',
    'dd',
    'details',
    'dir',
    'div',
    'dl',
  ],
  ...[
    'dt',
    'fieldset',
    'figcaption',
    'figure',
    'footer',
    'form',
    'header',
    'hr',
    'legend',
    'li',
    'main',
    'menu',
  ],
  ...['nav', 'ol', 'option', 'p', 'pre', 'section', 'summary', 'table', 'tr', 'ul'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
])
/** Blocks with an empty line around them. */
const PARAGRAPHS = new Set([
  ...['p', 'blockquote', 'ul', 'ol', 'dl', 'table', 'pre', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6'],
])
const HIDDEN_STYLE =
  /(?:display:none|visibility:(?:hidden|collapse)|opacity:0(?:\.0+)?|mso-hide:all)(?:;|!|$)/
/** Hides an element that also has `overflow:hidden`. */
const NO_SIZE = /(?:^|;)(?:max-)?(?:height|width):0(?:px|em|pt|%)?(?:;|!|$)/
const FONT_SIZE = /(?:^|;)font-size:(0(?:px|em|pt|%)?(?:;|!|$))?/
const AS_WRITTEN = /white-space:(?:pre(?:-wrap)?|break-spaces)(?:;|!|$)/
/** A class of Word and Outlook, whose paragraphs have no space between them. */
const TIGHT = /^Mso/
const NO_MARGIN = /(?:^|;)margin(?:-top|-bottom)?:0/
/** Marks a `blockquote` that the writer only indented. Quotes have a line at their side. */
const INDENTED = /border(?:-left)?:(?:none|0)|webkit-indent-blockquote/

/** The original mail follows these elements in mails of Outlook, Zimbra, NetEase, 139.com, QQ, and others. */
const ORIGINAL = new Set([
  ...['divrplyfwdmsg', 'appendonsend', 'replysplit', 'mail-editor-reference-message-container', 'zwchr'],
  ...['olk_src_body_section', 'reply139content', 'origbody', 'orimsghtmlseperator', 'original-content'],
  ...['outlookmessageheader', 'xm_mail_oringinal_describe', 'replymessage', 'mailcontent'],
])
const FORWARD = new Set(['moz-forward-container', 'isforwardcontent', 'gmail_forward'])
/** Elements of signatures, and of the line before a quote. */
const FOLDED = new Set([
  ...['gmail_attr', 'moz-cite-prefix', 'reply-intro', 'zmail_extra_hr', 'gmail_signature', 'moz-signature'],
  ...['protonmail_signature_block', 'ms-outlook-mobile-signature'],
])
/** These elements hold a quote. If one contains a `blockquote`, the words beside it are an answer. */
const QUOTE_HOLDERS = new Set([
  ...[
    'gmail_quote',
    'gmail_quote_container',
    'gmail_extra',
    'yahoo_quoted',
    'protonmail_quote',
    'tutanota_quote',
  ],
  ...['skiff_quote', 'zmail_extra', 'netease_quote', 'fairemail_quote', 'quote', 'quoted-content'],
  ...['messagereplysection', 'isreplycontent', 'sh-quoted-content', 'front-blockquote', 'qmbox'],
])
const QUOTE_ID = /^x_|^ydp[0-9a-f]+|_\d+$/g

const ADDRESS = /^(?:https?:|mailto:|tel:)/i
const ADDRESS_MAX = 500
/** A longer link text cannot be the link's address. */
const LINK_TEXT_MAX = 600

interface Element {
  isHidden: boolean
  isPre: boolean
  isTight: boolean
  isQuote: boolean
  isFolded: boolean
  /** The holder's first line, and the number of quotes before it; null for other elements. */
  holder: { from: number; quotes: number } | null
  link: { address: string; text: string } | null
  list: List | null
  isCell: boolean
}
interface List {
  isOrdered: boolean
  next: number
  step: 1 | -1
  /** Items without a known number; null if the first number is known. */
  unnumbered: Mark[] | null
}

/**
 * Returns the lines of HTML that a reader sees, without scripts, styles, and hidden words. Each line has what the mail
 * program says about it.
 */
export function htmlLines(html: string): Line[] {
  const writer = createLineWriter()
  const { lines } = writer
  /** The number of open elements that are hidden themselves or inside a hidden one. */
  let hidden = 0
  let pre = 0
  let quotes = 0
  let holders = 0
  /** Whether text has no size, for each open element. */
  const sizes: boolean[] = []
  const lists: List[] = []
  const links: NonNullable<Element['link']>[] = []
  /** The open cells. `from` is the number of lines after the cell's first line was added. */
  const cells: { from: number; hasWords: boolean }[] = []

  function write(words: string): void {
    writer.write(words)
    const [cell, link] = [cells.at(-1), links.at(-1)]
    if (cell !== undefined && !cell.hasWords) {
      cell.hasWords = true
      cell.from = lines.length
    }
    if (link !== undefined && link.text.length < LINK_TEXT_MAX) link.text += words
  }
  function writeText(text: string): void {
    if (hidden > 0 || sizes.at(-1)) return
    if (pre > 0) {
      for (const [index, each] of text.split(/\r?\n/).entries()) {
        if (index > 0) writer.breakLine()
        if (each !== '') write(each)
      }
      return
    }
    // No-break spaces are not in the pattern, so they are written.
    for (const [index, word] of text.split(/[ \t\r\n\f]+/).entries()) {
      if (index > 0) writer.space()
      if (word !== '') write(word)
    }
  }
  /** Whether the next words are the first ones of a cell, which begin no line. */
  const isInLine = () => cells.at(-1)?.hasWords === false
  function endLine(count: 1 | 2): void {
    if (!isInLine()) writer.endLine(count)
  }
  function breaksOf(name: string, isTight: boolean): 1 | 2 {
    const isOuter = name === 'ul' || name === 'ol' ? lists.length <= 1 : lists.length === 0
    return PARAGRAPHS.has(name) && !isTight && isOuter ? 2 : 1
  }

  readHtml<Element>(html, {
    open(name, attributes) {
      const style = (attributes.get('style') ?? '').slice(0, 2_000).replace(/\s/g, '').toLowerCase()
      const isHidden = LEFT_OUT.has(name) || attributes.has('hidden') || isInvisible(style)
      const element = elementOf(name, attributes, style)
      if (isHidden) hidden += 1
      const size = FONT_SIZE.exec(style)
      sizes.push(size === null ? (sizes.at(-1) ?? false) : size[1] !== undefined)
      if (hidden > 0) return { ...element, isHidden }
      if (element.list !== null) lists.push(element.list)
      if (BLOCKS.has(name)) endLine(breaksOf(name, element.isTight))
      const names = namesOf(attributes)
      if (names.some((each) => ORIGINAL.has(each)) || name === 'includetail') writer.begin('original')
      if (names.some((each) => FORWARD.has(each))) writer.begin('forward')
      element.isFolded = names.some((each) => FOLDED.has(each))
      if (element.isFolded) writer.fold(1)
      if (element.isQuote) {
        quotes += 1
        writer.quote(1)
      } else if (names.some((each) => QUOTE_HOLDERS.has(each))) {
        holders += 1
        writer.endLine()
        if (holders === 1) element.holder = { from: lines.length, quotes }
      }
      if (element.isPre) pre += 1
      if (element.link !== null) links.push(element.link)
      if (element.isCell) cells.push({ from: 0, hasWords: false })
      if (name === 'br' && !isInLine()) writer.breakLine()
      if (name === 'button') writer.space()
      if (name === 'li') writer.item(itemMark(lists, attributes.get('value')))
      const shown = shownOf(name, attributes)
      if (shown !== '') writeText(shown)
      return element
    },
    text: writeText,
    close(name, element) {
      sizes.pop()
      if (element.isHidden) hidden -= 1
      if (hidden > 0 || element.isHidden) return
      if (element.link !== null) {
        links.pop()
        const { text, address } = element.link
        if (text !== '' && !isSameAddress(text, address)) {
          writer.space()
          write(`(${address})`)
          writer.space()
        }
      }
      if (name === 'button') writer.space()
      if (BLOCKS.has(name)) endLine(breaksOf(name, element.isTight))
      if (element.isCell) closeCell()
      if (element.isPre) pre -= 1
      if (element.isFolded) writer.fold(-1)
      if (element.isQuote) writer.quote(-1)
      if (element.holder !== null) closeHolder(element.holder)
      if (element.list !== null) {
        numberReversed(element.list)
        lists.pop()
      }
    },
  })

  /** The next cell stands in the same line, unless this cell has several lines. */
  function closeCell(): void {
    const cell = cells.pop()
    if (!cell?.hasWords) return
    const outer = cells.at(-1)
    if (outer !== undefined && !outer.hasWords) Object.assign(outer, cell)
    if (lines.length > cell.from) {
      writer.endLine()
      return
    }
    writer.stay()
    writer.space('\t')
  }
  function closeHolder({ from, quotes: before }: NonNullable<Element['holder']>): void {
    holders -= 1
    writer.endLine()
    if (quotes === before) for (let at = from; at < lines.length; at += 1) (lines[at] as Line).isFolded = true
  }
  return lines
}

function isInvisible(style: string): boolean {
  return HIDDEN_STYLE.test(style) || (style.includes('overflow:hidden') && NO_SIZE.test(style))
}

function elementOf(name: string, attributes: ReadonlyMap<string, string>, style: string): Element {
  const address = attributes.get('href')?.trim() ?? ''
  const className = attributes.get('class') ?? ''
  return {
    isHidden: false,
    isPre: name === 'pre' || name === 'textarea' || AS_WRITTEN.test(style),
    isTight: TIGHT.test(className) || NO_MARGIN.test(style),
    isQuote: name === 'blockquote' && !INDENTED.test(`${className} ${style}`),
    isFolded: false,
    holder: null,
    link:
      name === 'a' && ADDRESS.test(address)
        ? { address: address.slice(0, ADDRESS_MAX).replace(/^(?:mailto|tel):/i, ''), text: '' }
        : null,
    list: name === 'ol' || name === 'ul' ? listOf(name, attributes) : null,
    isCell: name === 'td' || name === 'th',
  }
}

/** Returns the element's ID, name, and classes, without what programs add to make them unique. */
function namesOf(attributes: ReadonlyMap<string, string>): string[] {
  const names = ['id', 'name', 'class'].map((key) => (attributes.get(key) ?? '').slice(0, 500))
  return names
    .join(' ')
    .toLowerCase()
    .split(' ')
    .filter((name) => name !== '')
    .map((name) => name.replace(QUOTE_ID, ''))
}

/** Returns the text that an element shows without containing text. */
function shownOf(name: string, attributes: ReadonlyMap<string, string>): string {
  if (name === 'img') {
    const alt = attributes.get('alt')?.trim() ?? ''
    // An emoji stands for itself.
    return /[\p{L}\p{N}]/u.test(alt) ? `[${alt}]` : alt
  }
  const isButton = name === 'input' && /^(?:submit|button|reset)$/i.test(attributes.get('type') ?? '')
  return isButton ? ` ${attributes.get('value') ?? ''} ` : ''
}

/** An address is the same one without its scheme or with a trailing `/`. */
function isSameAddress(text: string, address: string): boolean {
  const bare = (each: string) => each.toLowerCase().replace(/^(?:https?:\/\/)?(?:www\.)?/, '')
  const [shown, linked] = [bare(text.trim()), bare(address)]
  return shown === linked || `${shown}/` === linked || shown === `${linked}/`
}

function listOf(name: string, attributes: ReadonlyMap<string, string>): List {
  const isReversed = attributes.has('reversed')
  const start = wholeNumber(attributes.get('start'))
  return {
    isOrdered: name === 'ol',
    next: start ?? (isReversed ? 0 : 1),
    step: isReversed ? -1 : 1,
    unnumbered: isReversed && start === null ? [] : null,
  }
}

function itemMark(lists: readonly List[], value: string | undefined): Mark {
  const list = lists.at(-1)
  const indent = '  '.repeat(Math.min(Math.max(lists.length - 1, 0), 10))
  if (list === undefined || !list.isOrdered) return { text: `${indent}- ` }
  const number = wholeNumber(value) ?? list.next
  list.next = number + list.step
  const mark = { text: `${indent}${number}. ` }
  list.unnumbered?.push(mark)
  return mark
}

/** A reversed list without a first number ends at 1. */
function numberReversed({ unnumbered }: List): void {
  for (const [index, mark] of (unnumbered ?? []).entries())
    mark.text = mark.text.replace(/-?\d+/, String((unnumbered?.length ?? 0) - index))
}

function wholeNumber(text: string | undefined): number | null {
  return text !== undefined && /^\s*-?\d{1,9}\s*$/.test(text) ? Number(text) : null
}
