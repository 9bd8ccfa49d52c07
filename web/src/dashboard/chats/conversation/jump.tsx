import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { ActivityPage } from '@proctorpass/shared/schemas/inbox'
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import type { Conversation } from '../../../chat/engine/types.ts'
import type { MessagePlaces } from '../../../chat/view/message-list.tsx'
import { useConversation } from '../../../chat/view/use-conversation.ts'
import { toast } from '../../../components/toast.ts'
import { callAsAdmin } from '../../../lib/session.ts'

/** The next newer page is loaded when less than this is left below. */
const NEWER_PX = 600
/** The message is marked for this long. */
const MARKED_MS = 3_000

/**
 * The message or log entry that an address names. It includes the address's own key, so that a link can lead there
 * again.
 */
interface JumpTarget {
  kind: 'seq' | 'n'
  number: number
  key: string
}

/** Returns the message that the address names with `?seq=`, or the entry that it names with `?n=`. */
export function useJumpTarget(): JumpTarget | null {
  const { search, key } = useLocation()
  const parameters = new URLSearchParams(search)
  const kind = parameters.has('seq') ? 'seq' : 'n'
  const number = Number(parameters.get(kind))
  return Number.isSafeInteger(number) && number > 0 ? { kind, number, key } : null
}

/** Returns the seq of the message near which the target is shown. Null if there is no such entry. */
async function seqOf(clientId: string, kind: JumpTarget['kind'], number: number): Promise<number | null> {
  if (kind === 'seq') return number
  const path = `${adminPaths.conversationActivity(clientId)}?after=${number - 1}&limit=1`
  const [entry] = (await callAsAdmin<ActivityPage>(path)).activity
  return entry?.n === number ? Math.max(1, entry.afterSeq) : null
}

interface JumpProps {
  conversation: Conversation
  target: JumpTarget
  places: MessagePlaces
}

/**
 * Scrolls to the target as soon as it is shown, gives it the focus, and marks it for a moment. While old messages are
 * shown, it loads newer ones near the end.
 */
export function Jump({ conversation, target: { kind, number, key }, places }: JumpProps) {
  /** The selector of the row to reveal. */
  const wanted = useRef<string | null>(null)

  const reveal = useEffectEvent(() => {
    const { box, list, anchor, onScrolled } = places
    if (wanted.current === null || !box.current || !list.current) return
    const row = list.current.querySelector<HTMLElement>(wanted.current)
    if (row === null) return
    wanted.current = null
    row.scrollIntoView({ block: 'center' })
    const top = row.getBoundingClientRect().top - box.current.getBoundingClientRect().top
    // The rows above get their heights only now, and this row stays in its place.
    anchor.current = { row, top, scrollTop: box.current.scrollTop }
    // Among old messages, there is no newest message to follow.
    if (conversation.getState().hasNewer) places.following.current = false
    onScrolled()
    row.tabIndex = -1
    row.focus({ preventScroll: true })
    row.toggleAttribute('data-found', true)
    setTimeout(() => row.toggleAttribute('data-found', false), MARKED_MS)
  })

  const jump = useEffectEvent(async (isCurrent: () => boolean) => {
    wanted.current = `[data-${kind}="${number}"]`
    const seq = await seqOf(conversation.clientId, kind, number).catch(() => null)
    const isThere = seq !== null && (await conversation.history?.showAround(seq).catch(() => false))
    if (!isCurrent()) return
    if (isThere) return reveal()
    wanted.current = null
    places.followNewest()
    toast.error(kind === 'seq' ? "This message isn't here anymore" : "This note isn't here anymore")
  })
  useEffect(() => {
    let isCurrent = true
    void jump(() => isCurrent)
    return () => {
      isCurrent = false
    }
  }, [kind, number, key])

  useLayoutEffect(() => reveal())

  // The old messages stay until the address leads to another page.
  const { history } = conversation
  const { following } = places
  useEffect(
    () => () => {
      following.current = true
      history?.showNewest()
    },
    [history, following],
  )
  const { hasNewer } = useConversation(conversation)
  const { box } = places
  useEffect(() => {
    const element = box.current
    if (!hasNewer || element === null) return
    const loadNear = () => {
      const below = element.scrollHeight - element.scrollTop - element.clientHeight
      if (below < NEWER_PX) history?.loadNewer().catch(() => {})
    }
    element.addEventListener('scroll', loadNear)
    return () => element.removeEventListener('scroll', loadNear)
  }, [box, history, hasNewer])

  if (!hasNewer) return null
  return (
    <button
      type="button"
      className="chat-new"
      onClick={() => {
        box.current?.focus({ preventScroll: true })
        history?.showNewest()
        places.followNewest()
      }}
    >
      Newest messages
    </button>
  )
}
