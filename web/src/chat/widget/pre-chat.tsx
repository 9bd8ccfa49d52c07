import type { ChatState } from '@proctorpass/shared/schemas/config'
import type { CorrectVisitor } from '@proctorpass/shared/schemas/inbox'
import type { Bilingual } from '@proctorpass/shared/schemas/settings'
import { type Ref, useId, useImperativeHandle, useRef, useState } from 'react'
import { readStorage, writeStorage } from '../../lib/browser-storage.ts'
import type { VisitorChat } from '../engine/chat.ts'
import { useLanguage, useWords } from '../language/language.ts'
import { later } from '../words/en.ts?later'
import { panel } from '../words/en.ts?panel'
import { say, whatWasSaid } from './profile.ts'
import {
  type Asked,
  focusFirst,
  PROFILE_NAMES,
  type ProfileErrors,
  ProfileFields,
  readProfile,
} from './profile-fields.tsx'
import './chat-form.css'

/** In localStorage: what is typed and not yet said. */
const DRAFT_KEY = 'draft:pre-chat'

export interface PreChatHandle {
  /** Keeps what was typed, to be sent with the first message. False: something is wrong, and has the focus. */
  take(): boolean
}

interface PreChatProps {
  chat: VisitorChat
  asked: Asked
  /** Enter in a field. */
  onEnter: () => void
  ref: Ref<PreChatHandle>
}

/** What the settings ask a visitor before the first message. */
export function PreChat({ chat, asked, onEnter, ref }: PreChatProps) {
  const id = useId()
  const words = useWords('later', later)
  const form = useRef<HTMLFormElement>(null)
  const [values] = useState(() => ({ ...whatWasSaid(), ...readDraft() }))
  const [errors, setErrors] = useState<ProfileErrors>({})

  useImperativeHandle(ref, () => ({
    take() {
      if (form.current === null) return true
      const said = whatWasSaid()
      const { about, wrong } = readProfile(form.current, asked, said, words)
      setErrors(wrong)
      focusFirst(form.current, wrong)
      if (Object.keys(wrong).length > 0) return false
      // Only kept: it is reported after the first message.
      void say(chat, { ...said, ...about })
      writeStorage(DRAFT_KEY, null)
      return true
    },
  }))

  function keepDraft(): void {
    const typed = PROFILE_NAMES.flatMap((name) => {
      const input = form.current?.elements.namedItem(name)
      return input instanceof HTMLInputElement ? [[name, input.value]] : []
    })
    writeStorage(DRAFT_KEY, JSON.stringify(Object.fromEntries(typed)))
  }

  return (
    <form
      ref={form}
      className="chat-form"
      noValidate
      aria-labelledby={id}
      onInput={keepDraft}
      onSubmit={(event) => {
        event.preventDefault()
        onEnter()
      }}
    >
      <p id={id}>{words.preChat}</p>
      <ProfileFields asked={asked} marked values={values} errors={errors} />
      {/* Enter in one of several fields presses it. */}
      <button type="submit" hidden />
    </form>
  )
}

/** Texts that one press sends, before the first message. */
export function QuickReplies({ state, onSend }: { state: ChatState; onSend: (text: string) => void }) {
  const words = useWords('panel', panel)
  const tag = useLanguage((language) => language.tag)
  const { en, [tag as keyof Bilingual]: own = en } = state.quickReplies
  const texts = own.length > 0 ? own : en
  if (texts.length === 0) return null
  return (
    <ul className="chat-quick-replies" aria-label={words.quickReplies}>
      {texts.map((text) => (
        <li key={text}>
          <button type="button" onClick={() => onSend(text)}>
            <bdi>{text}</bdi>
          </button>
        </li>
      ))}
    </ul>
  )
}

function readDraft(): CorrectVisitor {
  try {
    return JSON.parse(readStorage(DRAFT_KEY) ?? '{}') as CorrectVisitor
  } catch {
    return {}
  }
}
