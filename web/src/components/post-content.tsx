import { useLayoutEffect, useRef } from 'react'
import { useTrustedHtml } from '../lib/trusted-html.ts'
import { uploadSrcSet } from './upload-picture.ts'

/**
 * The body of a post. `html` has been through the server's allow-list: the one place where HTML from it is trusted.
 *
 * The page's policy refuses style attributes, and would complain of each. So the checked colours among them come
 * under another name, and a script of ours sets them.
 */
export function PostContent({ html }: { html: string }) {
  const content = useRef<HTMLDivElement>(null)
  useLayoutEffect(() => {
    for (const element of content.current?.querySelectorAll<HTMLElement>('[data-style]') ?? []) {
      element.style.cssText = element.dataset.style ?? ''
    }
    // What is scrolled must be reached by keyboard too; not every browser sees to that.
    for (const element of content.current?.querySelectorAll<HTMLElement>('table, pre') ?? []) {
      if (element.scrollWidth > element.clientWidth) element.tabIndex = 0
    }
  }, [html])
  const shown = withWidths(html.replace(/<span style="/g, '<span data-style="'))
  return <div className="prose post-content" ref={content} dangerouslySetInnerHTML={useTrustedHtml(shown)} />
}

/** Lets a browser choose how large it needs an uploaded picture, where it is known how large that is. */
function withWidths(html: string): string {
  return html.replace(/<img src="([^"]+)" width="(\d+)"/g, (img, src: string, width: string) => {
    const srcSet = uploadSrcSet(src, Number(width))
    return srcSet ? `${img} srcset="${srcSet}" sizes="min(${width}px, 100vw, 40em)"` : img
  })
}
