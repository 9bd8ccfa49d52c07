import { useLayoutEffect, useRef } from 'react'
import { useTrustedHtml } from '../lib/trusted-html.ts'

interface TextHtmlProps {
  /** The HTML's place in the page's text. */
  name: string
  /** HTML that the server has sanitized. */
  html: string
  className?: string
  /** The ID of the heading that names the HTML as a section. */
  labelledBy?: string | null
}

/** Shows HTML of a page's text. */
export function TextHtml({ name, html, className, labelledBy }: TextHtmlProps) {
  const content = useRef<HTMLDivElement>(null)
  useStyles(content, html)
  const Element = labelledBy ? 'section' : 'div'
  return (
    <Element
      ref={content}
      className={className}
      aria-labelledby={labelledBy ?? undefined}
      data-text={name}
      dangerouslySetInnerHTML={useTrustedHtml(html)}
    />
  )
}

/**
 * Sets the sanitized colors of an element's HTML. The Content-Security-Policy refuses style attributes and reports each of
 * them, so the colors come as `data-style`.
 */
export function useStyles(content: React.RefObject<HTMLElement | null>, html: string): void {
  useLayoutEffect(() => {
    for (const element of content.current?.querySelectorAll<HTMLElement>('[data-style]') ?? []) {
      element.style.cssText = element.dataset.style ?? ''
    }
  }, [content, html])
}
