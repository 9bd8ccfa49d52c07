import later from 'virtual:words/later'
import type { Suggestions as Suggested, SuggestedPage } from '@proctorpass/shared/schemas/suggestion'
import { suggestionPaths } from '@proctorpass/shared/suggestion-paths'
import { useEffect, useEffectEvent, useId, useState } from 'react'
import { callApi } from '../../../lib/api.ts'
import type { VisitorChat } from '../../engine/chat.ts'
import { useLanguage, useWords } from '../../language/language.ts'
import { afterFrame } from '../after-frame.ts'
import { AnswerPage } from './answer-page.tsx'
import { createFinder, hasWords } from './find-pages.ts'
import { countAsked } from './opened-pages.ts'
import './suggestions.css'

let index: Promise<(text: string) => SuggestedPage[]> | null = null

/** Loads the index once it is needed. */
function loadIndex(): Promise<(text: string) => SuggestedPage[]> {
  index ??= callApi<Suggested>(suggestionPaths.pages(useLanguage.getState().tag)).then(({ pages }) =>
    createFinder(pages),
  )
  index.catch(() => {
    index = null
  })
  return index
}

interface SuggestionsProps {
  conversation: VisitorChat['conversation']
  box: () => HTMLTextAreaElement | null | undefined
}

/** Shows pages that may answer the typed question, above the message box. The text stays in this browser. */
export function Suggestions({ conversation, box }: SuggestionsProps) {
  const words = useWords('later', later)
  const [found, setFound] = useState<SuggestedPage[]>([])
  const [opened, setOpened] = useState<SuggestedPage | null>(null)
  const id = useId()

  function show(next: SuggestedPage[]): void {
    const isSame =
      next.length === found.length && next.every(({ path }, place) => path === found[place]?.path)
    if (!isSame) setFound(next)
  }
  const look = useEffectEvent(() => {
    const text = box()?.value ?? ''
    if (!hasWords(text)) {
      show([])
      return
    }
    loadIndex().then(
      // Text that was typed in the meantime is searched by its own call.
      (find) => box()?.value === text && showNow(find(text)),
      () => {},
    )
  })
  const showNow = useEffectEvent(show)

  useEffect(() => {
    const area = box()
    const listener = () => look()
    const stop = conversation.subscribe(() => {
      countAsked(conversation.getState())
      // Sending empties the box after its event.
      afterFrame(listener)
    })
    area?.addEventListener('input', listener)
    listener()
    return () => {
      stop()
      area?.removeEventListener('input', listener)
    }
  }, [conversation, box])

  return (
    <>
      <p className="visually-hidden" role="status">
        {found.length > 0 && `${words.suggestions}: ${found.map(({ title }) => title).join('; ')}`}
      </p>
      {found.length > 0 && (
        <section className="chat-suggestions" aria-labelledby={id}>
          <h3 id={id}>{words.suggestions}</h3>
          <ul>
            {found.map((page) => (
              <li key={page.path}>
                <button type="button" dir="auto" onClick={() => setOpened(page)}>
                  {page.title}
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {opened && <AnswerPage page={opened} onClose={() => setOpened(null)} />}
    </>
  )
}
