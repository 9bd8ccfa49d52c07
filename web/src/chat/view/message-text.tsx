import { linkify } from '@proctorpass/shared/linkify'
import { type MouseEvent, useState } from 'react'
import { flushSync } from 'react-dom'
import { firstParts, foldAt } from './fold-text.ts'
import { useViewLanguage } from './view-language.ts'

/** Shows a message's text. A long text is folded. */
export function MessageText({ text }: { text: string }) {
  const { words } = useViewLanguage()
  const [open, setOpen] = useState(false)
  const end = foldAt(text)
  const folded = end !== null && !open
  const parts = folded ? firstParts(linkify(text), end) : linkify(text)

  /** Keeps on the screen what the reader sees: the text above the button, or the button if that text disappears. */
  function toggle({ currentTarget: button }: MouseEvent<HTMLElement>): void {
    const log = button.closest('.chat-log')
    const bubble = button.parentElement
    if (!log || !bubble) return
    const topOf = (element: Element) => element.getBoundingClientRect().top
    const fixed = open && topOf(bubble) < topOf(log) ? button : bubble
    const before = topOf(fixed)
    flushSync(() => setOpen(!open))
    log.scrollTop += topOf(fixed) - before
    // The event lets the list notice whether it is still at its end, before it would scroll there.
    log.dispatchEvent(new Event('scroll'))
  }

  return (
    <>
      <p className="chat-text" dir="auto">
        {parts.map((part, index) =>
          typeof part === 'string' ? (
            part
          ) : (
            <a key={index} href={part.href} target="_blank" rel="noopener noreferrer nofollow ugc">
              {part.text}
            </a>
          ),
        )}
        {folded && ' …'}
      </p>
      {end !== null && (
        <button type="button" className="link-button chat-fold" onClick={toggle}>
          {open ? words.less : words.more}
        </button>
      )}
    </>
  )
}
