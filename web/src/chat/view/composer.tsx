import { SendHorizontal } from 'virtual:icons'
import { withoutEmptyEnds } from '@proctorpass/shared/fields/text'
import { MESSAGE_MAX } from '@proctorpass/shared/limits'
import {
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  type TextareaHTMLAttributes,
  useEffect,
  useEffectEvent,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from 'react'
import { Icon } from '../../components/icon.tsx'
import type { PendingAttachment } from '../engine/attachments.ts'
import { fill } from '../language/fill.ts'
import { onPrefilled, readMessageDraft, writeMessageDraft } from './message-draft.ts'
import type { Attach } from './use-attach.tsx'
import { useViewLanguage } from './view-language.ts'
import './messages.css'

/** The remaining characters are shown from this length on. */
const COUNTER_FROM = MESSAGE_MAX - 400

export interface ComposerHandle {
  focus(): void
  /** The text area, into which a caller can insert text as if it was typed. */
  readonly box: HTMLTextAreaElement | null
}

interface ComposerProps {
  /** The storage key for the unsent text. Pass it as the component's `key` too. */
  draftKey: string
  /** Called with a text without empty ends and within the limit. The text is empty only if there are files. */
  onSend: (message: string, files: readonly PendingAttachment[]) => void
  onTyping: (typing: boolean) => void
  /** Shows a spinner. Typing and sending stay possible. */
  sending: boolean
  placeholder?: string
  /** The name of the button, if it does not send. */
  sendLabel?: string | undefined
  /**
   * Returns why a text, perhaps an empty one, cannot be sent now; null if it can. An empty reason means that nothing is
   * wrong with the text. Called when the sender tries.
   */
  refuse?: (message: string) => string | null
  /** More attributes for the box. If their `onKeyDown` prevents a key's default, the key does nothing else. */
  boxProps?: TextareaHTMLAttributes<HTMLTextAreaElement>
  attach?: Attach
  /** Shown beside the box. */
  children?: ReactNode
  ref?: Ref<ComposerHandle>
}

/** The message box on either side. */
export function Composer({
  draftKey,
  onSend,
  onTyping,
  sending,
  placeholder,
  sendLabel,
  refuse,
  boxProps,
  attach,
  children,
  ref,
}: ComposerProps) {
  const { words, tag, locale } = useViewLanguage()
  const [text, setText] = useState(() => readMessageDraft(draftKey))
  /** True means that there is nothing to send. */
  const [refusal, setRefusal] = useState<string | true | null>(null)
  const box = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const { length } = [...withoutEmptyEnds(text)]
  const format = (count: number) => count.toLocaleString(locale)
  const refused = refusal === true ? words.required : refusal
  const error =
    length > MESSAGE_MAX ? fill(words.tooLong, { length: format(length), max: format(MESSAGE_MAX) }) : refused

  useEffect(() => onPrefilled((key) => key === draftKey && setText(readMessageDraft(key))), [draftKey])

  useImperativeHandle(
    ref,
    () => ({
      focus: () => box.current?.focus({ preventScroll: true }),
      get box() {
        return box.current
      },
    }),
    [],
  )

  useLayoutEffect(() => {
    const area = box.current
    if (!area || globalThis.CSS?.supports?.('field-sizing: content')) return
    // The style sheet limits the height.
    area.style.height = 'auto'
    area.style.height = `${area.scrollHeight + area.offsetHeight - area.clientHeight}px`
  }, [text])

  const stopTyping = useEffectEvent(() => onTyping(false))
  useEffect(() => () => stopTyping(), [])

  function handleChange(value: string): void {
    setText(value)
    setRefusal(null)
    writeMessageDraft(draftKey, value)
    onTyping(withoutEmptyEnds(value) !== '')
  }

  function submit(): void {
    // This keeps the on-screen keyboard open.
    box.current?.focus({ preventScroll: true })
    const message = clean(text)
    const files = attach?.attached.current?.files() ?? []
    const isEmpty = message === '' && files.length === 0
    const reason = refuse?.(message) ?? (isEmpty || null)
    const problem = typeof files === 'string' ? files : reason
    setRefusal(problem || null)
    if (problem !== null || typeof files === 'string' || length > MESSAGE_MAX) return
    onTyping(false)
    onSend(message, files)
    attach?.attached.current?.clear()
    setText('')
    writeMessageDraft(draftKey, '')
  }

  function handleKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    boxProps?.onKeyDown?.(event)
    if (event.defaultPrevented) return
    if (event.key !== 'Enter' || event.shiftKey || event.altKey || event.ctrlKey || event.metaKey) return
    // This Enter confirms an IME composition. Safari sends keyCode 229 after the composition's end.
    if (event.nativeEvent.isComposing || event.keyCode === 229) return
    event.preventDefault()
    submit()
  }

  return (
    <form
      className="chat-composer"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        submit()
      }}
    >
      <label className="visually-hidden" htmlFor={`${id}-text`}>
        {words.box}
      </label>
      {children}
      {attach?.node}
      <textarea
        {...boxProps}
        ref={box}
        id={`${id}-text`}
        className="chat-input"
        rows={1}
        // The placeholder has the words' direction.
        dir={text ? 'auto' : undefined}
        placeholder={placeholder ?? words.placeholder}
        value={text}
        enterKeyHint="send"
        autoComplete="off"
        aria-invalid={error !== null}
        aria-describedby={`${id}-note`}
        onChange={(event) => handleChange(event.target.value)}
        onKeyDown={handleKeyDown}
        onBlur={() => onTyping(false)}
      />
      <button
        type="submit"
        className="button button-primary chat-send"
        onPointerDown={(event) => event.preventDefault()}
      >
        <span>{sendLabel ?? words.send}</span>
        <Icon of={SendHorizontal} large />
        {sending && <span className="spinner" aria-hidden="true" />}
      </button>
      <p id={`${id}-note`} className="chat-note">
        <span className="chat-error" role="alert">
          {error}
        </span>
        {error === null && length >= COUNTER_FROM && (
          <span>{fill(words.charactersLeft, { count: MESSAGE_MAX - length }, tag)}</span>
        )}
      </p>
    </form>
  )
}

/** Removes NUL and lone surrogates, which the API refuses. */
function clean(text: string): string {
  return withoutEmptyEnds(text.replaceAll('\0', '').toWellFormed())
}
