import { withWidths } from '@proctorpass/shared/upload-src-set'
import { useLayoutEffect, useRef } from 'react'
import { useTrustedHtml } from '../lib/trusted-html.ts'
import { useStyles } from './text-html.tsx'

/** Shows a post's body. `html` has passed the server's allow-list. */
export function PostContent({ html }: { html: string }) {
  const content = useRef<HTMLDivElement>(null)
  useStyles(content, html)
  useLayoutEffect(() => {
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
