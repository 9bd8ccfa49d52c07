import { MessageSquareQuote } from 'virtual:icons'
import type { Then } from '@proctorpass/shared/schemas/inbox'
import type { CannedReply } from '@proctorpass/shared/schemas/reply'
import {
  type ComponentProps,
  type FocusEvent,
  type KeyboardEvent,
  type Ref,
  useEffect,
  useEffectEvent,
  useImperativeHandle,
  useRef,
  useState,
} from 'react'
import type { Conversation } from '../../../chat/engine/types.ts'
import { Composer, type ComposerHandle } from '../../../chat/view/composer.tsx'
import { readMessageDraft } from '../../../chat/view/message-draft.ts'
import { Icon } from '../../../components/icon.tsx'
import { type Blank, blanksIn, fillReply } from '../../ui/fill-reply.ts'
import { handleFormatKey } from '../../ui/format-keys.ts'
import { selectIn, typeInto } from '../../ui/text-box.ts'
import { useCloseOnBack } from '../../ui/use-close-on-back.ts'
import { hasModifier, isComposing, useListbox } from '../../ui/use-listbox.ts'
import { slashQuery } from './caret-query.ts'
import { OtherReply, useOtherReply } from './other-reply.tsx'
import { ReplyPicker } from './reply-picker.tsx'
import { useFormatCommands } from './use-format-commands.ts'
import { useReplyOptions } from './use-reply-options.ts'
import { useReplyValues } from './use-reply-values.ts'
import { useSendWays } from './use-send-ways.tsx'
import './reply-picker.css'

type ComposerProps = ComponentProps<typeof Composer>

type ReplyComposerProps = Omit<ComposerProps, 'refuse' | 'boxProps' | 'children' | 'sendLabel' | 'onSend'> & {
  conversation: Conversation
  /** `then` is the status that the message gives the conversation. */
  onSend: (...sent: [...Parameters<ComposerProps['onSend']>, then: Then | undefined]) => void
  /** Opens the box for the newest message's correction. Returns false if it cannot be corrected. */
  onEditLast: () => boolean
  ref?: Ref<ComposerHandle>
}

/** Renders the admin's message box. A slash at the beginning of a line, or the button, inserts a canned reply. */
export function ReplyComposer({ conversation, ref, onSend, onEditLast, ...props }: ReplyComposerProps) {
  const { clientId } = conversation
  const composer = useRef<ComposerHandle>(null)
  useImperativeHandle(ref, () => composer.current as ComposerHandle, [])
  const [slash, setSlash] = useState<ReturnType<typeof slashQuery>>(null)
  /** The position of the slash at which Escape closed the list. */
  const [dismissed, setDismissed] = useState<number | null>(null)
  /** The filter of the button's menu. Null while the menu is closed. */
  const [filter, setFilter] = useState<string | null>(null)
  /** The query for which the admin pressed Enter before the canned replies had loaded. */
  const [awaited, setAwaited] = useState<string | null>(null)
  const [blanks, setBlanks] = useState<Blank[]>(() => blanksIn(readMessageDraft(props.draftKey)))

  useFormatCommands(composer)

  const isMenu = filter !== null
  const typed = slash === null || slash.from === dismissed ? null : slash.query
  const query = filter ?? typed
  const options = useReplyOptions(query)
  const valueFor = useReplyValues(clientId)
  const other = useOtherReply(clientId)
  const ways = useSendWays(composer, props.attach, conversation)
  // A query without results is ordinary text.
  const isOpen =
    query !== null && (isMenu || options.isLoading || options.isEmpty || options.found.length > 0)
  const listbox = useListbox({
    items: options.shown,
    keyOf: ({ _id }) => _id,
    query,
    onChoose: insert,
    onEscape() {
      close()
      if (isMenu) composer.current?.focus()
    },
    // In the menu, Tab moves the focus.
    tabChooses: !isMenu,
  })
  useCloseOnBack(isMenu, close)

  function readBox(box: HTMLTextAreaElement): void {
    const found = box.selectionStart === box.selectionEnd ? slashQuery(box.value, box.selectionEnd) : null
    setSlash(found)
    if (found === null) setDismissed(null)
    setBlanks(blanksIn(box.value))
    other.typed(box.value !== '')
  }

  function selectBlank({ start, end }: Blank): void {
    const box = composer.current?.box
    if (box) selectIn(box, start, end)
  }

  function insert({ text }: CannedReply): void {
    const box = composer.current?.box
    if (!box) return
    // A selected blank is where the last inserted reply left the caret, so the next reply goes after it.
    const isAtBlank = blanks.some(
      ({ start, end }) => start === box.selectionStart && end === box.selectionEnd,
    )
    if (isMenu && isAtBlank) box.setSelectionRange(box.value.length, box.value.length)
    const from = isMenu || slash === null ? box.selectionStart : slash.from
    const filled = fillReply(text, valueFor)
    const before = isMenu && /\S$/.test(box.value.slice(0, from)) ? ' ' : ''
    const after = isMenu && /^[\p{L}\p{N}]/u.test(box.value.slice(box.selectionEnd)) ? ' ' : ''
    typeInto(box, before + filled + after, from)
    close()
    const blank = blanksIn(box.value).find(({ start }) => start >= from)
    if (blank !== undefined && blank.end <= from + before.length + filled.length) selectBlank(blank)
    readBox(box)
  }

  function close(): void {
    setFilter(null)
    setDismissed(slash?.from ?? null)
  }

  const insertAwaited = useEffectEvent(() => {
    if (awaited !== null && awaited === query && listbox.active) insert(listbox.active)
    setAwaited(null)
  })
  useEffect(() => {
    if (!options.isLoading) insertAwaited()
  }, [options.isLoading])

  function handleListKey(event: KeyboardEvent): void {
    if (listbox.handleKeyDown(event) || !options.isLoading || isComposing(event) || hasModifier(event)) return
    if (event.key !== 'Enter' && (event.key !== 'Tab' || isMenu)) return
    // The text may be a shortcut, so it is not sent.
    setAwaited(query)
    event.preventDefault()
  }

  function handleKeyDown(event: KeyboardEvent<HTMLTextAreaElement>): void {
    if (isOpen) handleListKey(event)
    if (!isComposing(event)) handleFormatKey(event)
    const isEmpty = event.currentTarget.value === '' && !isOpen
    if (event.key === 'ArrowUp' && isEmpty && !event.shiftKey && !hasModifier(event) && onEditLast()) {
      event.preventDefault()
    }
    if (event.defaultPrevented || event.key !== 'Tab' || event.altKey || event.ctrlKey || event.metaKey)
      return
    const { selectionStart, selectionEnd } = event.currentTarget
    const next = event.shiftKey
      ? blanks.findLast(({ end }) => end <= selectionStart)
      : blanks.find(({ start }) => start >= selectionEnd)
    if (next === undefined) return
    event.preventDefault()
    selectBlank(next)
  }

  const root = useRef<HTMLDivElement>(null)
  const closeFromOutside = useEffectEvent((event: PointerEvent) => {
    const isInBox = event.target === composer.current?.box
    if (isInBox ? isMenu : !root.current?.contains(event.target as Node)) close()
  })
  useEffect(() => {
    if (!isOpen) return
    document.addEventListener('pointerdown', closeFromOutside)
    return () => document.removeEventListener('pointerdown', closeFromOutside)
  }, [isOpen])

  function handleBlur({ relatedTarget, currentTarget }: FocusEvent): void {
    if (isOpen && relatedTarget !== null && !currentTarget.contains(relatedTarget)) close()
  }

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: moving the focus out closes the list
    <div className="reply-composer" ref={root} onBlur={handleBlur} {...ways.handlers}>
      {isOpen && (
        <ReplyPicker
          listbox={listbox}
          options={options}
          filter={filter}
          keepsFocus={!isMenu}
          onFilter={setFilter}
          onKeyDown={handleListKey}
          valueFor={valueFor}
        />
      )}
      <p className="visually-hidden" role="status">
        {isOpen && options.found.length > 0 && foundText(options.found.length)}
      </p>
      <OtherReply userIds={other.userIds} />
      {blanks.length > 0 && <Blanks blanks={blanks} onSelect={selectBlank} />}
      <Composer
        {...props}
        ref={composer}
        sendLabel={ways.label}
        onSend={(message, files) => {
          setSlash(null)
          setFilter(null)
          setBlanks([])
          other.typed(false)
          onSend(message, files, ways.then())
        }}
        refuse={(message) => {
          const [blank] = blanksIn(message)
          if (blank === undefined) return message === '' ? null : other.ask()
          const [first = blank] = blanksIn(composer.current?.box?.value ?? '')
          selectBlank(first)
          return `Fill in ${blank.label} before sending`
        }}
        boxProps={{
          'aria-autocomplete': 'list',
          'aria-haspopup': 'listbox',
          'aria-controls': isOpen && !isMenu ? listbox.id : undefined,
          'aria-activedescendant': isOpen && !isMenu ? listbox.activeId : undefined,
          onInput(event) {
            setFilter(null)
            readBox(event.currentTarget)
          },
          onSelect: (event) => readBox(event.currentTarget),
          onKeyDown: handleKeyDown,
        }}
      >
        <RepliesButton isOpen={isMenu} onPress={() => setFilter(isMenu ? null : '')} />
      </Composer>
      {ways.more}
    </div>
  )
}

function RepliesButton({ isOpen, onPress }: { isOpen: boolean; onPress: () => void }) {
  return (
    <button
      type="button"
      className="icon-button reply-button"
      aria-label="Canned replies"
      aria-haspopup="dialog"
      aria-expanded={isOpen}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onPress}
    >
      <Icon of={MessageSquareQuote} />
    </button>
  )
}

function Blanks({ blanks, onSelect }: { blanks: readonly Blank[]; onSelect: (blank: Blank) => void }) {
  return (
    <p className="reply-blanks">
      To fill in:
      {blanks.map((blank) => (
        <button
          key={blank.start}
          type="button"
          className="reply-blank"
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onSelect(blank)}
        >
          <span className="visually-hidden">Fill in </span>
          {blank.label.slice(1, -1)}
        </button>
      ))}
    </p>
  )
}

function foundText(count: number): string {
  return `${count === 1 ? '1 canned reply' : `${count} canned replies`}. Press Enter to insert.`
}
