import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { ActivityPage } from '@proctorpass/shared/schemas/inbox'
import { useEffect, useEffectEvent, useLayoutEffect, useRef } from 'react'
import { useLocation } from 'react-router'
import type { Conversation } from '../../../chat/engine/types.ts'
import type { MessagePlaces } from '../../../chat/view/message-list.tsx'
import { useConversation } from '../../../chat/view/use-conversation.ts'
import { toast } from '../../../components/toast.ts'
import { callAsAdmin } from '../../../lib/session.ts'

/** Closer to the end than this, the next newer page is loaded. */
const NEWER_PX = 600
/** How long the message is marked. */
const MARKED_MS = 3_000

/** A message or an entry of the log that an address names, and the address's own key: it can be asked for again. */
interface JumpTarget {
  kind: 'seq' | 'n'
  number: number
  key: string
}

/** The message that the address names by `?seq=`, or the entry by `?n=`. */
export function useJumpTarget(): JumpTarget | null {
  const { search, key } = useLocation()
  const parameters = new URLSearchParams(search)
  const kind = parameters.has('seq') ? 'seq' : 'n'
  const number = Number(parameters.get(kind))
  return Number.isSafeInteger(number) && number > 0 ? { kind, number, key } : null
}

/** The message in whose neighborhood the target is shown; null when there is no such entry. */
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
 * shown, loads newer ones near the end.
 */
export function Jump({ conversation, target: { kind, number, key }, places }: JumpProps) {
  /** The selector of the row. */
  const wanted = useRef<string | null>(null)

  const reveal = useEffectEvent(() => {
    const { box, list, anchor, onScrolled } = places
    if (wanted.current === null || !box.current || !list.current) return
    const row = list.current.querySelector<HTMLElement>(wanted.current)
    if (row === null) return
    wanted.current = null
    row.scrollIntoView({ block: 'center' })
    const top = row.getBoundingClientRect().top - box.current.getBoundingClientRect().top
    // Rows above it get their heights only now: it stays where it is.
    anchor.current = { row, top, scrollTop: box.current.scrollTop }
    // Old messages have no end to follow.
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

  // Old messages are shown until the address leads to another page.
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
