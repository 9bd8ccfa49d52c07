import { useLayoutEffect, useRef } from 'react'
import { useTrustedHtml } from '../lib/trusted-html.ts'
import { uploadSrcSet } from './upload-image.ts'

/**
 * Shows a post's body. `html` has passed the server's allow-list.
 *
 * The Content-Security-Policy refuses style attributes and reports each of them. The sanitized colors therefore come as
 * `data-style`, and a script sets them.
 */
export function PostContent({ html }: { html: string }) {
  const content = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    for (const element of content.current?.querySelectorAll<HTMLElement>('[data-style]') ?? []) {
      element.style.cssText = element.dataset.style ?? ''
    }
    // Scrollable elements must be focusable, but not every browser makes them so.
    for (const element of content.current?.querySelectorAll<HTMLElement>('.table, pre') ?? []) {
      if (element.scrollWidth <= element.clientWidth) continue
      element.tabIndex = 0
      if (element.className !== 'table') continue
      element.role = 'region'
      element.ariaLabel = 'Table'
    }
  }, [html])
  const shown = withWidths(html.replace(/<span style="/g, '<span data-style="'))
  return (
    <div
      className="prose post-content"
      ref={content}
      dangerouslySetInnerHTML={useTrustedHtml(inFrames(shown))}
    />
  )
}

/** Puts each table into a frame that scrolls, because screen readers would not treat a scrolling table as a table. */
function inFrames(html: string): string {
  return html.replaceAll('<table>', '<div class="table"><table>').replaceAll('</table>', '</table></div>')
}

/** Adds `srcset` and `sizes` to uploaded images whose width is known. */
function withWidths(html: string): string {
  return html.replace(/<img src="([^"]+)" width="(\d+)"/g, (img, src: string, width: string) => {
    const srcSet = uploadSrcSet(src, Number(width))
    return srcSet ? `${img} srcset="${srcSet}" sizes="min(${width}px, 100vw, 40em)"` : img
  })
}
