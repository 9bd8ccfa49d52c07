import { ChevronDown, CircleCheck, Clock } from 'virtual:icons'
import type { Then } from '@proctorpass/shared/schemas/inbox'
import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { ComposerHandle } from '../../../chat/view/composer.tsx'
import type { Attach } from '../../../chat/view/use-attach.tsx'
import { Icon } from '../../../components/icon.tsx'
import { blanksIn } from '../../ui/fill-reply.ts'
import { onDemand } from '../../ui/on-demand.tsx'
import { useCommands } from '../../ui/shortcuts.ts'
import { readSendWay, rememberSendWay, SEND_WAYS, type SendWay } from './send-way.ts'

const SendMenu = onDemand(async () => (await import('./send-menu.tsx')).SendMenu)
const SnoozeMenu = onDemand(async () => (await import('../changes/snooze-menu.tsx')).SnoozeMenu)

const RESOLVED: Then = { status: 'resolved' }

/**
 * Offers the ways to send a reply: a press of the button sends in the way that was chosen last. If nothing
 * can be sent, the composer says why.
 */
export function useSendWays(composer: RefObject<ComposerHandle | null>, attach: Attach | undefined) {
  const [chosen, setChosen] = useState(readSendWay)
  const [opened, setOpened] = useState<'ways' | 'snooze' | null>(null)
  const button = useRef<HTMLButtonElement>(null)
  /** The status for the message that is being sent. */
  const then = useRef<Then | undefined>(undefined)
  const { label, icon } = SEND_WAYS.find(({ way }) => way === chosen) ?? SEND_WAYS[0]
  const close = () => setOpened(null)
  useEffect(() => void Promise.all([SendMenu.preload(), SnoozeMenu.preload()]), [])

  function isReady(): boolean {
    const text = composer.current?.box?.value ?? ''
    const files = attach?.attached.current?.files() ?? []
    return blanksIn(text).length === 0 && (text.trim() !== '' || files.length > 0)
  }

  function sendWith(status: Then | undefined): void {
    then.current = status
    composer.current?.box?.form?.requestSubmit()
  }

  function sendBy(way: SendWay): void {
    if (way !== 'snooze' || !isReady()) sendWith(way === 'resolve' ? RESOLVED : undefined)
    else setOpened('snooze')
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
        if (chosen !== 'snooze' || !isReady()) return
        event.preventDefault()
        event.stopPropagation()
        setOpened('snooze')
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
