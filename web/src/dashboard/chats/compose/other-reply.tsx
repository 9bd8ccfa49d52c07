import { useRef, useState, useSyncExternalStore } from 'react'
import { adminName, useTeam } from '../../ui/team.ts'
import { useAdminChat } from '../live/admin-chat-context.tsx'
import { ViewerNames } from '../live/viewers.tsx'

const NONE: readonly string[] = []

/** The replies that other admins began before this admin. */
interface OtherReplies {
  /** The admins who are still typing. */
  userIds: readonly string[]
  /** Call it when the box gets a text or becomes empty. */
  typed(hasText: boolean): void
  /** Returns the question to ask before sending. It asks only once. Null if there is nothing to ask. */
  ask(): string | null
}

export function useOtherReply(clientId: string): OtherReplies {
  const { others, userId } = useAdminChat()
  const team = useTeam()
  const typing = useSyncExternalStore(others.subscribe, () => others.typingIn(clientId))
  /** The admins who were typing when this admin began. Null while the box is empty. */
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

/** Says beside the box that other admins are already typing. */
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
