import Quill, { Delta } from 'quill'
import type QuillClipboard from 'quill/modules/clipboard.js'
import { htmlToParse } from '../../../lib/trusted-html.ts'
import { convertWordLists } from './word-lists.ts'

const Clipboard = Quill.import('modules/clipboard') as typeof QuillClipboard

const STYLE = 'data-pasted-style'
const STYLE_SHEET = 'pasted-style-sheet'

/**
 * Reads pasted HTML. The Content-Security-Policy refuses inline styles even in a parsed document, and bold or
 * strikethrough text with them; styles set by script apply. Trusted Types refuse to parse a plain string: the parsed
 * document here has no window, so nothing in it runs, and Quill keeps only its own formats.
 */
class CleanClipboard extends Clipboard {
  protected override convertHTML(html: string) {
    const quiet = html
      .replaceAll(/<[a-z][^<>]*>/gi, (tag) =>
        tag.replaceAll(/\sstyle\s*=/gi, ` ${STYLE}=`).replaceAll(/\son[a-z]+\s*=/gi, ' data-handler='),
      )
      .replaceAll(/<(\/?)style\b/gi, `<$1${STYLE_SHEET}`)
    try {
      return super.convertHTML(htmlToParse(quiet))
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      // Nested deeper than the stack allows: only the text is kept.
      return new Delta().insert(parse(quiet).body.textContent)
    }
  }

  /** For an image copied with its markup: Quill would parse a plain string. */
  override onCapturePaste(event: ClipboardEvent): void {
    const html = event.clipboardData?.getData('text/html') ?? ''
    const files = [...(event.clipboardData?.files ?? [])]
    if (html === '' || files.length === 0 || event.defaultPrevented || !this.quill.isEnabled()) {
      super.onCapturePaste(event)
      return
    }
    event.preventDefault()
    const range = this.quill.getSelection(true)
    const { body } = parse(html)
    const isImage = body.childElementCount === 1 && body.firstElementChild?.localName === 'img'
    if (isImage) this.quill.uploader.upload(range, files)
    else this.onPaste(range, { html, text: event.clipboardData?.getData('text/plain') ?? '' })
  }

  protected override normalizeHTML(page: Document): void {
    // Before Quill's own conversion of these lists, which sets markup from strings.
    convertWordLists(page, STYLE)
    for (const element of page.querySelectorAll(`script, noscript, template, ${STYLE_SHEET}`))
      element.remove()
    for (const element of page.querySelectorAll<HTMLElement>(`[${STYLE}]`)) {
      element.style.cssText = element.getAttribute(STYLE) ?? ''
    }
    super.normalizeHTML(page)
  }
}

function parse(html: string): Document {
  return new DOMParser().parseFromString(htmlToParse(html), 'text/html')
}

Quill.register({ 'modules/clipboard': CleanClipboard } as unknown as Record<string, never>, true)
