import { ArrowLeft } from 'virtual:icons'
import later from 'virtual:words/later'
import panel from 'virtual:words/panel'
import { CALL_HEADER } from '@proctorpass/shared/call-name'
import type { SuggestedPage } from '@proctorpass/shared/schemas/suggestion'
import { useEffect, useEffectEvent, useId, useRef, useState } from 'react'
import { Icon } from '../../../components/icon.tsx'
import { listen } from '../../../lib/listen.ts'
import { htmlToParse, useTrustedHtml } from '../../../lib/trusted-html.ts'
import { useWords } from '../../language/language.ts'
import { countOpened } from './opened-pages.ts'

interface AnswerPageProps {
  page: Pick<SuggestedPage, 'path' | 'title'>
  onClose: () => void
}

/** Shows the text of one of our pages over the conversation. */
export function AnswerPage({ page, onClose }: AnswerPageProps) {
  const words = useWords('later', later)
  const { loading, loadFailed } = useWords('panel', panel)
  const html = usePageText(page.path)
  const view = useRef<HTMLElement>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const id = useId()
  const close = useEffectEvent(onClose)

  useEffect(() => {
    const focusBefore = document.activeElement as HTMLElement | null
    heading.current?.focus()
    const others = [...(view.current?.parentElement?.children ?? [])].filter(
      (element): element is HTMLElement =>
        element instanceof HTMLElement && element !== view.current && !element.inert,
    )
    for (const element of others) element.inert = true
    return () => {
      for (const element of others) element.inert = false
      focusBefore?.focus({ preventScroll: true })
    }
  }, [])

  useEffect(() => {
    // The listener works even while nothing has the focus, because a press on the text takes it away. It runs before
    // the panel's listener, so that the panel stays open.
    return listen(
      document,
      ['keydown'],
      (event) => {
        const isHere = event.target === document.body || view.current?.contains(event.target as Node)
        if (event.key !== 'Escape' || !isHere) return
        event.preventDefault()
        close()
      },
      { capture: true },
    )
  }, [])

  return (
    <section ref={view} className="chat-answer" aria-labelledby={id}>
      <button type="button" className="button button-s" onClick={onClose}>
        <Icon of={ArrowLeft} />
        {words.back}
      </button>
      <h3 ref={heading} id={id} tabIndex={-1} dir="auto">
        {page.title}
      </h3>
      {typeof html === 'string' ? (
        <PageText path={page.path} html={html} />
      ) : (
        <p role="status">{html === null ? loading : loadFailed}</p>
      )}
    </section>
  )
}

/** Returns null while the page is being read, and undefined if it cannot be read. */
function usePageText(path: string): string | null | undefined {
  const [html, setHtml] = useState<string | null | undefined>(null)
  useEffect(() => {
    readPageText(path).then(
      (text) => {
        setHtml(text)
        if (text !== undefined) countOpened(path)
      },
      () => setHtml(undefined),
    )
  }, [path])
  return html
}

/** Reads a page's text from its HTML. The server renders pages, so what a visitor without scripts reads is complete. */
async function readPageText(path: string): Promise<string | undefined> {
  const [address = '', id] = path.split('#')
  const answer = await fetch(address, { headers: { accept: 'text/html' } })
  if (!answer.ok || !answer.headers.has(CALL_HEADER)) return undefined
  const page = new DOMParser().parseFromString(htmlToParse(await answer.text()), 'text/html')
  const part = id === undefined ? page.querySelector('main') : page.getElementById(id)
  return part?.querySelector('.prose')?.innerHTML
}

/**
 * Shows HTML that the server sanitized, or our own texts. Links open in a new tab, so that the visitor's text stays.
 */
function PageText({ path, html }: { path: string; html: string }) {
  const text = useRef<HTMLDivElement>(null)
  const trusted = useTrustedHtml(html)
  useEffect(() => {
    for (const link of text.current?.querySelectorAll('a[href]') ?? []) {
      const href = link.getAttribute('href') ?? ''
      if (href.startsWith('#')) link.setAttribute('href', path.split('#', 1) + href)
      link.setAttribute('target', '_blank')
      link.setAttribute('rel', 'noopener')
    }
  }, [path])
  return <div ref={text} className="chat-answer-text" dir="auto" dangerouslySetInnerHTML={trusted} />
}
