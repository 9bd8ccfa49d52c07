import { POST_IMAGE } from '@proctorpass/shared/post-format'
import Quill, { Delta, type Op, type Range } from 'quill'
import type QuillClipboard from 'quill/modules/clipboard.js'
import { htmlToParse } from '../../../lib/trusted-html.ts'
import { playerAddress } from './addresses.ts'
import { LeftOutItems, type LeftOutKind, markLeftOut, markOf } from './left-out.ts'
import { codeOf, convertCode } from './pasted-code.ts'
import { cellDelta, prepareTables, withoutLines } from './pasted-tables.ts'
import { deltaOf, htmlOfRange } from './post-document.ts'
import { isInCell } from './post-quill.ts'
import { readPost } from './read-post.ts'
import { CELL } from './table-cells.ts'
import { convertWordLists } from './word-lists.ts'

const Clipboard = Quill.import('modules/clipboard') as typeof QuillClipboard

const STYLE = 'data-pasted-style'
const STYLE_SHEET = 'pasted-style-sheet'
/** Marks HTML that this editor has put on the clipboard. */
const OWN = 'data-post'

export interface ClipboardHandlers {
  /** Receives the file of a pasted image, which is uploaded later. Returns the image's value in the text. */
  onImage: (file: File) => string
  /** Receives a sentence that says what could not be pasted. It is empty if everything was pasted. */
  onLeftOut: (sentence: string) => void
}

/**
 * Reads pasted HTML. The Content-Security-Policy refuses inline styles even in a parsed document, which would lose bold
 * or strikethrough text, but styles that a script sets apply. Trusted Types refuse to parse a plain string. The
 * document that is parsed here has no window, so nothing in it runs, and Quill keeps only its own formats.
 */
export class CleanClipboard extends Clipboard {
  handlers: ClipboardHandlers | null = null
  #items = new LeftOutItems()
  /** The clipboard's files. */
  #files: File[] = []

  constructor(...all: ConstructorParameters<typeof QuillClipboard>) {
    super(...all)
    this.addMatcher('IMG', (node) => this.#imageDelta(node as HTMLImageElement))
    this.addMatcher('IFRAME', (node, delta) => {
      const player = playerAddress((node as Element).getAttribute('src') ?? '')
      return player === null ? delta.slice(0, 0) : new Delta().insert({ video: player })
    })
    this.addMatcher('TD, TH', (node, delta) => cellDelta(node as HTMLTableCellElement, delta, this.quill))
  }

  override convert(data: { html?: string; text?: string }, formats: Record<string, unknown> = {}): Delta {
    const { html = '', text = '' } = data
    if (formats['code-block'] && text === '' && html !== '') {
      return super.convert({ text: codeOf(parse(withoutStyles(html)).body) }, formats)
    }
    const delta = super.convert(data, formats)
    return formats[CELL] ? withoutLines(delta, this.quill) : delta
  }

  protected override convertHTML(html: string) {
    const quiet = withoutStyles(html)
    const own = parse(quiet).body.querySelector(`:scope > [${OWN}]:only-child`)
    if (own) return deltaOf(readPost(own.innerHTML).flatMap(({ lines }) => lines))
    try {
      return super.convertHTML(htmlToParse(quiet))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      // The elements are nested too deep for the stack, so only the text is kept.
      return new Delta().insert(parse(quiet).body.textContent)
    }
  }

  /** Handles an image that was copied with its markup, because Quill would parse a plain string. */
  override onCapturePaste(event: ClipboardEvent): void {
    const html = event.clipboardData?.getData('text/html') ?? ''
    this.#files = [...(event.clipboardData?.files ?? [])]
    if (html === '' || event.defaultPrevented || !this.quill.isEnabled()) {
      super.onCapturePaste(event)
      return
    }
    event.preventDefault()
    const range = this.quill.getSelection(true)
    this.onPaste(range, { html, text: event.clipboardData?.getData('text/plain') ?? '' })
  }

  override onPaste(range: Range, data: { html?: string; text?: string }): void {
    const { quill } = this
    this.#items = new LeftOutItems()
    const isAcrossCells = quill.getLines(range).some((line) => line.statics.blotName === CELL)
    if (range.length > 0 && isAcrossCells) quill.deleteText(range.index, range.length, 'user')
    const length = isAcrossCells ? 0 : range.length
    const pasted = this.convert(data, quill.getFormat(range.index))
    const [line, offset] = quill.getLine(range.index)
    const isLineBreak = ({ insert }: Op) => typeof insert === 'string' && insert.includes('\n')
    const beginsWithTable = pasted.ops.find(isLineBreak)?.attributes?.[CELL] !== undefined
    let change = new Delta().retain(range.index)
    // The text before the caret is not part of a table's first cell.
    if (beginsWithTable && offset > 0 && line && !isInCell(quill, range.index)) {
      change.insert('\n', 'formats' in line ? (line.formats() as Record<string, unknown>) : {})
    }
    change = change.concat(pasted)
    if (length > 0) change.delete(length)
    quill.updateContents(change, 'user')
    quill.setSelection(change.length() - length, 0, 'silent')
    quill.scrollSelectionIntoView()
    this.handlers?.onLeftOut(String(this.#items))
  }

  override onCopy(range: Range): { html: string; text: string } {
    const html = htmlOfRange(this.quill, range.index, range.length)
    return { html: `<div ${OWN}="">${html}</div>`, text: this.quill.getText(range) }
  }

  protected override normalizeHTML(page: Document): void {
    const sheets = [...page.querySelectorAll(STYLE_SHEET)].map((sheet) => sheet.textContent).join('\n')
    convertCode(page, STYLE, sheets)
    // This must run before Quill converts these lists itself, because Quill sets markup from strings.
    convertWordLists(page, STYLE)
    for (const element of page.querySelectorAll(`script, noscript, template, ${STYLE_SHEET}`))
      element.remove()
    for (const element of page.querySelectorAll<HTMLElement>(`[${STYLE}]`)) {
      element.style.cssText = element.getAttribute(STYLE) ?? ''
    }
    markLeftOut(page, this.#items, (src) => playerAddress(src) !== null)
    prepareTables(page)
    super.normalizeHTML(page)
    // A file may also be a picture of the whole selection. It certainly belongs to an image only if the image was
    // copied alone.
    const { body } = page
    if (body.childElementCount !== 1 || body.firstElementChild?.localName !== 'img') this.#files = []
  }

  #imageDelta(image: HTMLImageElement): Delta {
    const src = image.getAttribute('src') ?? ''
    const alt = image.getAttribute('alt') ?? ''
    const own = ownImage(src)
    const size = ['width', 'height'].filter((name) => /^[1-9]\d{0,4}$/.test(image.getAttribute(name) ?? ''))
    const sizes = Object.fromEntries(size.map((name) => [name, image.getAttribute(name)]))
    if (own !== null) {
      const mark = image.hasAttribute('data-decorative') ? { 'data-decorative': 'true' } : {}
      return new Delta().insert({ image: own }, { alt, ...sizes, ...mark })
    }
    const file = fileOfDataUrl(src) ?? this.#files.shift()
    if (file && this.handlers) return new Delta().insert({ image: this.handlers.onImage(file) }, { alt })
    // Such an image counts visits and shows nothing.
    if (image.width === 1 && image.height === 1) return new Delta()
    const kind: LeftOutKind = /^https?:/i.test(src) ? 'other-site' : /^data:/i.test(src) ? 'type' : 'local'
    this.#items.add(kind)
    return new Delta().insert({ 'left-out': markOf(kind, alt.trim()) })
  }
}

/** Renames styles and handlers, and turns style sheets into elements that no browser knows. */
function withoutStyles(html: string): string {
  return html
    .replaceAll(/<[a-z][^<>]*>/gi, (tag) =>
      tag.replaceAll(/\sstyle\s*=/gi, ` ${STYLE}=`).replaceAll(/\son[a-z]+\s*=/gi, ' data-handler='),
    )
    .replaceAll(/<(\/?)style\b/gi, `<$1${STYLE_SHEET}`)
}

function parse(html: string): Document {
  return new DOMParser().parseFromString(htmlToParse(html), 'text/html')
}

/** Returns the path of an upload or of one of the site's own images. Null for other addresses. */
function ownImage(src: string): string | null {
  if (!URL.canParse(src, location.href)) return null
  const { origin, pathname } = new URL(src, location.href)
  return origin === location.origin && POST_IMAGE.test(pathname) ? pathname : null
}

function fileOfDataUrl(source: string): File | null {
  const [, type = '', base64 = ''] =
    /^data:(image\/(?:png|jpeg|webp|svg\+xml));base64,(.+)$/s.exec(source) ?? []
  if (base64 === '') return null
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
    const extension = type.replace('image/', '').replace('+xml', '')
    return new File([bytes], `pasted.${extension}`, { type })
  } catch {
    return null
  }
}

Quill.register({ 'modules/clipboard': CleanClipboard } as unknown as Record<string, never>, true)
