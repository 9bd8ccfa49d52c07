import { useEffect, useSyncExternalStore } from 'react'
import { adminName, useTeam } from '../../ui/team.ts'
import { useAdminChat } from './admin-chat-context.tsx'
import './viewers.css'

/** Returns the IDs of the other admins who have this conversation open. It is empty while polling. */
export function useViewers(clientId: string): readonly string[] {
  const { others } = useAdminChat()
  return useSyncExternalStore(others.subscribe, () => others.viewersOf(clientId))
}

/** Tells the other admins that this admin is viewing the conversation, while the tab is visible. */
export function useViewing(clientId: string): void {
  const { others } = useAdminChat()
  useEffect(() => {
    const tell = () => others.setViewing(document.hidden ? null : clientId)
    tell()
    document.addEventListener('visibilitychange', tell)
    return () => {
      document.removeEventListener('visibilitychange', tell)
      others.setViewing(null)
    }
  }, [others, clientId])
}

/** Shows the admins' names with the verb, such as "Anna and Bo are". */
export function ViewerNames({ userIds }: { userIds: readonly string[] }) {
  const { userId: ownId } = useAdminChat()
  const team = useTeam()
  return (
    <>
      <bdi>{LIST.format(userIds.map((each) => adminName(team, each, ownId)))}</bdi>{' '}
      {userIds.length === 1 ? 'is' : 'are'}
    </>
  )
}

const LIST = new Intl.ListFormat('en')

/** Names the other admins who are viewing this conversation or typing a reply in it. */
export function Viewers({ clientId }: { clientId: string }) {
  const { others } = useAdminChat()
  const viewers = useViewers(clientId)
  const typing = useSyncExternalStore(others.subscribe, () => others.typingIn(clientId))
  const looking = viewers.filter((each) => !typing.includes(each))

  return (
    <p className="viewers" role="status">
      {typing.length > 0 && (
        <span>
          <ViewerNames userIds={typing} /> typing a reply
        </span>
      )}
      {looking.length > 0 && (
        <span>
          <ViewerNames userIds={looking} /> also looking at this
        </span>
      )}
    </p>
  )
}
