import Quill, { Delta } from 'quill'
import type QuillClipboard from 'quill/modules/clipboard.js'

const Clipboard = Quill.import('modules/clipboard') as typeof QuillClipboard

const STYLE = 'data-pasted-style'

/**
 * Reads HTML from elsewhere. The Content-Security-Policy refuses the style attributes in it, also in a document that
 * is only parsed, and with them what is bold or crossed out in it; set by script they count.
 */
class CleanClipboard extends Clipboard {
  protected override convertHTML(html: string) {
    // Quill reads the lists of Word out of the attribute itself.
    const quiet = html.replaceAll(/<[a-z][^>]*>/gi, (tag) =>
      tag.includes('mso-list')
        ? tag
        : tag.replaceAll(/\sstyle\s*=/gi, ` ${STYLE}=`).replaceAll(/\son[a-z]+\s*=/gi, ' data-handler='),
    )
    try {
      return super.convertHTML(quiet)
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      // Nested deeper than the stack allows: its words are left.
      return new Delta().insert(new DOMParser().parseFromString(quiet, 'text/html').body.textContent)
    }
  }

  protected override normalizeHTML(page: Document): void {
    for (const element of page.querySelectorAll('script, noscript, template')) element.remove()
    for (const element of page.querySelectorAll<HTMLElement>(`[${STYLE}]`)) {
      element.style.cssText = element.getAttribute(STYLE) ?? ''
    }
    super.normalizeHTML(page)
  }
}

Quill.register({ 'modules/clipboard': CleanClipboard } as unknown as Record<string, never>, true)
