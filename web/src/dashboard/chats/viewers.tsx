import { useEffect, useSyncExternalStore } from 'react'
import { adminName, useTeam } from '../ui/team.ts'
import { useAdminChat } from './admin-chat.tsx'
import './viewers.css'

/** Ids of the other admins who have this conversation open. Empty while polling. */
export function useViewers(clientId: string): readonly string[] {
  const { others } = useAdminChat()
  return useSyncExternalStore(others.subscribe, () => others.viewersOf(clientId))
}

/** Tells the other admins that this one looks at the conversation, while the tab is visible. */
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

/** Names the other admins who look at this conversation or type a reply in it. */
export function Viewers({ clientId }: { clientId: string }) {
  const { others, userId } = useAdminChat()
  const team = useTeam()
  const viewers = useViewers(clientId)
  const typing = useSyncExternalStore(others.subscribe, () => others.typingIn(clientId))
  const named = (userIds: readonly string[]) =>
    LIST.format(userIds.map((each) => adminName(team, each, userId)))
  const looking = viewers.filter((each) => !typing.includes(each))

  const words = [
    typing.length > 0 && `${named(typing)} ${areOrIs(typing)} typing a reply`,
    looking.length > 0 && `${named(looking)} ${areOrIs(looking)} also looking at this`,
  ].filter((line) => line !== false)

  return (
    <p className="viewers" role="status">
      {words.length > 0 && (
        <span>
          {words.map((line) => (
            <span key={line}>{line}</span>
          ))}
        </span>
      )}
    </p>
  )
}

const LIST = new Intl.ListFormat('en')
const areOrIs = (userIds: readonly string[]) => (userIds.length === 1 ? 'is' : 'are')
