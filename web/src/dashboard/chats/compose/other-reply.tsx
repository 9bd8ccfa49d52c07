import { useRef, useState, useSyncExternalStore } from 'react'
import { adminName, useTeam } from '../../ui/team.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { ViewerNames } from '../live/viewers.tsx'

const NONE: readonly string[] = []

/** The reply that other admins began before this one. */
interface OtherReplies {
  /** The admins who still type it. */
  userIds: readonly string[]
  /** The box has a text, or none. */
  typed(hasText: boolean): void
  /** The question before sending, once; null when there is nothing to ask. */
  ask(): string | null
}

export function useOtherReply(clientId: string): OtherReplies {
  const { others, userId } = useAdminChat()
  const team = useTeam()
  const typing = useSyncExternalStore(others.subscribe, () => others.typingIn(clientId))
  /** Those who typed when this admin began. */
  const [earlier, setEarlier] = useState<readonly string[] | null>(null)
  const asked = useRef(false)
  const userIds = earlier === null ? NONE : typing.filter((each) => earlier.includes(each))
  return {
    userIds,
    typed(hasText) {
      if (hasText === (earlier !== null)) return
      asked.current = false
      setEarlier(hasText ? typing : null)
    },
    ask() {
      const [first] = userIds
      if (first === undefined || asked.current) return null
      asked.current = true
      return `${adminName(team, first, userId)} is typing a reply. Send again to send yours too.`
    },
  }
}

/** Beside the box: others are faster. */
export function OtherReply({ userIds }: { userIds: readonly string[] }) {
  return (
    <p className="other-reply" role="status">
      {userIds.length > 0 && (
        <>
          <ViewerNames userIds={userIds} /> typing a reply already
        </>
      )}
    </p>
  )
}
