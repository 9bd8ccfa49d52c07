import later from 'virtual:words/later'
import type { CorrectVisitor } from '@proctorpass/shared/schemas/inbox'
import {
  type ComponentProps,
  type Ref,
  useEffect,
  useEffectEvent,
  useId,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import { readStorage, writeStorage } from '../../../lib/browser-storage.ts'
import { useLiveChat } from '../../../lib/live-chat-store.ts'
import type { VisitorChat } from '../../engine/chat.ts'
import { useWords } from '../../language/language.ts'
import { QuickReplies as Replies } from '../quick-replies.tsx'
import { saveProfile, storedProfile } from './profile.ts'
import {
  type Asked,
  focusFirst,
  PROFILE_NAMES,
  type ProfileErrors,
  ProfileFields,
  readProfile,
} from './profile-fields.tsx'
import '../chat-form.css'

/** The localStorage key for the values that the visitor has typed and not yet sent. */
const DRAFT_KEY = 'draft:pre-chat'

export interface PreChatHandle {
  /**
   * Keeps the values, which are reported after the first message. Returns false if a field is invalid; that field then
   * has the focus.
   */
  take(): boolean
}

interface PreChatProps {
  chat: VisitorChat
  asked: Asked
  /** Called when the visitor presses Enter in a field. */
  onEnter: () => void
  ref: Ref<PreChatHandle>
}

/** The fields that the settings ask a visitor to fill in before the first message. */
export function PreChat({ chat, asked, onEnter, ref }: PreChatProps) {
  const id = useId()
  const words = useWords('later', later)
  const form = useRef<HTMLFormElement>(null)
  const [values] = useState(() => ({ ...storedProfile(), ...readDraft() }))
  const [errors, setErrors] = useState<ProfileErrors>({})

  function take(): boolean {
    if (form.current === null) return true
    const stored = storedProfile()
    const { about, wrong } = readProfile(form.current, asked, stored, words)
    setErrors(wrong)
    focusFirst(form.current, wrong)
    if (Object.keys(wrong).length > 0) return false
    void saveProfile(chat, { ...stored, ...about })
    writeStorage(DRAFT_KEY, null)
    return true
  }
  useImperativeHandle(ref, () => ({ take }))

  return (
    <form
      ref={form}
      className="chat-form"
      noValidate
      aria-labelledby={id}
      onInput={({ currentTarget }) => writeDraft(currentTarget)}
      onSubmit={(event) => {
        event.preventDefault()
        onEnter()
      }}
    >
      <p id={id}>{words.preChat}</p>
      <ProfileFields asked={asked} marked values={values} errors={errors} />
      {/* A browser presses this button when the visitor presses Enter in one of several fields. */}
      <button type="submit" hidden />
    </form>
  )
}

interface QuickRepliesProps extends ComponentProps<typeof Replies> {
  /** Returns the message box. */
  box: () => HTMLTextAreaElement | null | undefined
  /** Returns undefined once the text is sent. */
  onSend: (text: string) => unknown
}

/** Also sends the quick reply that was pressed in the card. A text that cannot be sent yet waits in the message box. */
export function QuickReplies({ texts, box, onSend }: QuickRepliesProps) {
  const pressed = useLiveChat(({ quickReply }) => quickReply)
  const handleSend = (text: string) => {
    const area = box()
    if (onSend(text) !== undefined && area) addLine(area, text)
  }
  const send = useEffectEvent(handleSend)
  useEffect(() => {
    if (pressed === null) return
    useLiveChat.setState({ quickReply: null })
    send(pressed)
  }, [pressed])
  return <Replies texts={texts} onSend={handleSend} />
}

/** Adds a line as if the visitor typed it, unless the box has it already. */
function addLine(box: HTMLTextAreaElement, line: string): void {
  const isEmpty = box.value.trim() === ''
  if (box.value.split('\n').includes(line)) return
  box.setRangeText(isEmpty ? line : `\n${line}`, isEmpty ? 0 : box.value.length, box.value.length, 'end')
  box.dispatchEvent(new InputEvent('input', { bubbles: true }))
}

function writeDraft(form: HTMLFormElement): void {
  const typed = PROFILE_NAMES.flatMap((name) => {
    const input = form.elements.namedItem(name)
    return input instanceof HTMLInputElement ? [[name, input.value]] : []
  })
  writeStorage(DRAFT_KEY, JSON.stringify(Object.fromEntries(typed)))
}

function readDraft(): CorrectVisitor {
  try {
    return JSON.parse(readStorage(DRAFT_KEY) ?? '{}') as CorrectVisitor
  } catch {
    return {}
  }
}
