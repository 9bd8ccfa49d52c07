import { Clock, Code, Download, Languages, Music2, Trash } from 'virtual:icons'
import later from 'virtual:words/later'
import view from 'virtual:words/view'
import { type RefObject, useEffect, useEffectEvent, useRef, useState } from 'react'
import { Icon } from '../../components/icon.tsx'
import { listen } from '../../lib/listen.ts'
import { pageState } from '../../lib/page-state.ts'
import { setMuted, useMuted } from '../alerts/sounds.ts'
import type { VisitorChat } from '../engine/chat.ts'
import { chooseLanguage } from '../language/choose-language.ts'
import { useLanguage, useWords } from '../language/language.ts'
import { useConversation } from '../view/use-conversation.ts'
import { chatToast } from './chat-toast.ts'
import { EraseDialog } from './erase-dialog.tsx'
import { failureText } from './failure-text.ts'
import { ExamForm } from './profile/exam-form.tsx'
import { reportSoon } from './profile/profile.ts'
import { enterLayer } from './sheet-history.ts'
import './more-menu.css'

interface MoreMenuProps {
  chat: VisitorChat
  /** The button that opens and closes the menu, and gets the focus back. */
  button: RefObject<HTMLElement | null>
  onClose: () => void
}

/** The panel's menu, which is open while it is rendered. */
export function MoreMenu({ chat, button, onClose }: MoreMenuProps) {
  const { conversation } = chat
  const { messages, pending } = useConversation(conversation)
  const words = useWords('later', later)
  const { tags } = pageState().languages
  const [chosen, setChosen] = useState(() => useLanguage.getState().tag)
  /** Ends when the languages chosen so far are loaded, so that the last one stays: keys choose several quickly. */
  const loading = useRef(Promise.resolve())
  const muted = useMuted()
  const [asking, setAsking] = useState<'about' | 'erase' | null>(null)
  const menu = useRef<HTMLDivElement | null>(null)
  const left = useRef(false)
  useEffect(() => {
    menu.current?.querySelector('button')?.focus()
    // The focus returns once the menu is gone, because a modal makes the button inert.
    return () => {
      if (!left.current) button.current?.focus()
    }
  }, [button])
  const close = useEffectEvent(onClose)
  useEffect(() => enterLayer(() => close()), [])
  const closeOnEscape = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return
    // This keeps the panel open.
    event.preventDefault()
    onClose()
  }
  useLeave([menu, button], () => {
    if (asking) return
    left.current = true
    onClose()
  })

  async function download(kind: 'html' | 'json'): Promise<void> {
    onClose()
    try {
      const [file, { saveFile, saveJson }, { conversationPage }] = await Promise.all([
        conversation.download(),
        import('../../lib/save-file.ts'),
        import('./conversation-page.ts'),
      ])
      const { tag, locale, dir = 'ltr', words: others } = useLanguage.getState()
      const english = { later, view }
      const name = `${words.fileName}.${kind}`
      if (kind === 'json') return saveJson(file, name)
      const page = conversationPage(file, {
        tag,
        locale,
        dir,
        words: others ?? english,
      })
      saveFile(new Blob([page], { type: 'text/html' }), name)
    } catch (error) {
      chatToast('error', failureText(error, words))
    }
  }

  function choose(tag: string): void {
    setChosen(tag)
    loading.current = loading.current
      .then(() => chooseLanguage(tag))
      .then(() => {
        const [first] = messages
        if (first) void reportSoon(chat, first.epoch)
      })
      .catch((error) => {
        setChosen(useLanguage.getState().tag)
        chatToast('error', failureText(error, words))
      })
  }

  if (asking === 'about') return <ExamForm chat={chat} onClose={onClose} />
  if (asking === 'erase') return <EraseDialog chat={chat} onClose={onClose} />
  return (
    <div
      // Once the menu is shown, Escape closes it, also before the focus is in it.
      ref={(element) => {
        menu.current = element
        return listen(document, ['keydown'], closeOnEscape, { capture: true })
      }}
      className="chat-menu"
    >
      <button type="button" onClick={() => setAsking('about')}>
        <Icon of={Clock} />
        {words.about}
      </button>
      <button type="button" aria-pressed={muted} onClick={() => setMuted(!muted)}>
        <Icon of={Music2} />
        {words.mute}
      </button>
      {messages.length > 0 && (
        <>
          <button type="button" onClick={() => download('html')}>
            <Icon of={Download} />
            {words.download}
          </button>
          <button type="button" onClick={() => download('json')}>
            <Icon of={Code} />
            {words.downloadData}
          </button>
        </>
      )}
      {(messages.length > 0 || pending.length > 0) && (
        <button type="button" className="chat-erase" onClick={() => setAsking('erase')}>
          <Icon of={Trash} />
          {words.erase}
        </button>
      )}
      {tags.length > 1 && (
        <label className="chat-language">
          <Icon of={Languages} />
          <span className="visually-hidden">{words.language}</span>
          <select value={chosen} onChange={({ target }) => choose(target.value)}>
            {tags.map((tag) => (
              <option key={tag} value={tag} lang={tag} dir="auto">
                {new Intl.DisplayNames(tag, { type: 'language' }).of(tag)}
              </option>
            ))}
          </select>
        </label>
      )}
    </div>
  )
}

/** Calls `onLeave` when the focus moves, or the visitor presses, outside the parts. */
function useLeave(parts: RefObject<HTMLElement | null>[], onLeave: () => void): void {
  const leave = useEffectEvent(({ target }: Event) => {
    if (target instanceof Node && !parts.some((part) => part.current?.contains(target))) onLeave()
  })
  useEffect(() => listen(document, ['pointerdown', 'focusin'], (event) => leave(event)), [])
}
