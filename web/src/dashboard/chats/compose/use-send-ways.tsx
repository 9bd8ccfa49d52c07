import { CalendarClock, ChevronDown, CircleCheck, Clock } from 'virtual:icons'
import { withoutEmptyEnds } from '@proctorpass/shared/fields/text'
import type { Then } from '@proctorpass/shared/schemas/inbox'
import { type ComponentProps, type FormEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { PendingAttachment } from '../../../chat/engine/attachments.ts'
import { newNonce } from '../../../chat/engine/outbox.ts'
import type { Conversation } from '../../../chat/engine/types.ts'
import type { ComposerHandle } from '../../../chat/view/composer.tsx'
import type { Attach } from '../../../chat/view/use-attach.tsx'
import { Icon } from '../../../components/icon.tsx'
import { blanksIn } from '../../ui/fill-reply.ts'
import { onDemand } from '../../ui/on-demand.tsx'
import { useCommands } from '../../ui/shortcuts.ts'
import { typeInto } from '../../ui/text-box.ts'
import { readSendWay, rememberSendWay, SEND_WAYS, type SendWay } from './send-way.ts'

const SendMenu = onDemand(async () => (await import('./send-menu.tsx')).SendMenu)
const SendLater = onDemand(async () => (await import('./send-later.tsx')).SendLater)
const SnoozeMenu = onDemand(async () => (await import('../changes/snooze-menu.tsx')).SnoozeMenu)

const RESOLVED: Then = { status: 'resolved' }

/** What is in the message box, to be sent later. */
type Later = ComponentProps<typeof SendLater>['message']

/** Returns the way's menu, which asks for a time. Null if it asks for nothing. */
const menuOf = (way: SendWay) => (way === 'snooze' || way === 'later' ? way : null)

/**
 * Offers the ways to send a reply: a press of the button sends in the way that was chosen last. If nothing
 * can be sent, the composer says why.
 */
export function useSendWays(
  composer: RefObject<ComposerHandle | null>,
  attach: Attach | undefined,
  conversation: Conversation,
) {
  const [chosen, setChosen] = useState(readSendWay)
  const [opened, setOpened] = useState<'ways' | 'snooze' | 'later' | null>(null)
  /** What was to be sent later. It keeps its nonce while it stays the same, so that it is scheduled once. */
  const [later, setLater] = useState<Later | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  /** The status for the message that is being sent. */
  const then = useRef<Then | undefined>(undefined)
  const { label, icon } = SEND_WAYS.find(({ way }) => way === chosen) ?? SEND_WAYS[0]
  const close = () => setOpened(null)
  useEffect(() => void Promise.all([SendMenu.preload(), SnoozeMenu.preload(), SendLater.preload()]), [])

  function isReady(): boolean {
    const text = composer.current?.box?.value ?? ''
    const files = attach?.attached.current?.files() ?? []
    return blanksIn(text).length === 0 && (text.trim() !== '' || files.length > 0)
  }

  function sendWith(status: Then | undefined): void {
    then.current = status
    composer.current?.box?.form?.requestSubmit()
  }

  /** Opens the way's menu. Returns false if it has none, or if nothing can be sent. */
  function asks(way: SendWay): boolean {
    const menu = menuOf(way)
    const files = attach?.attached.current?.files() ?? []
    if (menu === null || !isReady() || typeof files === 'string') return false
    const text = withoutEmptyEnds(composer.current?.box?.value ?? '')
    setLater((before) => (isSame(before, text, files) ? before : { nonce: newNonce(), text, files }))
    setOpened(menu)
    return true
  }

  function sendBy(way: SendWay): void {
    if (!asks(way)) sendWith(way === 'resolve' ? RESOLVED : undefined)
  }

  /** Empties the box, whose message is stored. */
  function scheduled(): void {
    flushSync(close)
    attach?.attached.current?.clear()
    const box = composer.current?.box
    box?.select()
    if (box) typeInto(box, '', 0)
    setLater(null)
  }

  function choose(way: SendWay): void {
    setChosen(way)
    rememberSendWay(way)
    // The closed menu returns the focus before the composer takes it.
    flushSync(close)
    if (!isReady()) composer.current?.focus()
    else sendBy(way)
  }

  useCommands([
    {
      label: 'Send and resolve',
      icon: CircleCheck,
      keys: 'mod+shift+enter',
      inFields: true,
      run: () => sendBy('resolve'),
    },
    { label: 'Send and snooze', icon: Clock, run: () => sendBy('snooze') },
    { label: 'Send later', icon: CalendarClock, run: () => sendBy('later') },
  ])

  return {
    /** The name of the button that sends. */
    label: chosen === 'send' ? undefined : label,
    /** Returns the status for the message that the composer sends now. */
    then: () => then.current,
    /** For an element around the composer. */
    handlers: {
      onSubmitCapture(event: FormEvent): void {
        const { submitter } = event.nativeEvent as SubmitEvent
        if (submitter === null) return
        if (chosen === 'resolve') then.current = RESOLVED
        if (!asks(chosen)) return
        event.preventDefault()
        event.stopPropagation()
      },
      onSubmit(): void {
        then.current = undefined
      },
    },
    more: (
      <>
        <button
          ref={button}
          type="button"
          className="button button-primary more-ways"
          aria-label="More ways to send"
          aria-haspopup="dialog"
          aria-expanded={opened === 'ways'}
          data-tip="More ways to send"
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => setOpened('ways')}
        >
          <Icon of={chosen === 'send' ? ChevronDown : icon} />
        </button>
        {opened === 'ways' && (
          <SendMenu
            onFailed={close}
            chosen={chosen}
            near={button.current}
            onChoose={choose}
            onClose={close}
          />
        )}
        {opened === 'later' && later && (
          <SendLater
            onFailed={close}
            conversation={conversation}
            message={later}
            near={button.current}
            onScheduled={scheduled}
            onClose={close}
          />
        )}
        {opened === 'snooze' && (
          <SnoozeMenu
            title="Send and snooze"
            onFailed={close}
            near={button.current}
            onClose={close}
            onChoose={(snoozedUntil) => {
              flushSync(close)
              sendWith({ status: 'snoozed', snoozedUntil })
            }}
          />
        )}
      </>
    ),
  }
}

function isSame(before: Later | null, text: string, files: readonly PendingAttachment[]): boolean {
  const noncesOf = (all: readonly PendingAttachment[] = []) => all.map(({ nonce }) => nonce).join()
  return before?.text === text && noncesOf(before.files) === noncesOf(files)
}
