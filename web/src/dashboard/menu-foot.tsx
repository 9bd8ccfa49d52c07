import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Version } from '@proctorpass/shared/schemas/config'
import { useQuery } from '@tanstack/react-query'
import { useAuth } from '../lib/auth-store.ts'
import { callAsAdmin } from '../lib/session.ts'
import { useAdminChat } from './chats/live/admin-chat-context.tsx'
import { DeviceNotifications } from './notifications/device-notifications.tsx'

/** The signed-in admin, and the version of the server. With the notifications of this device, which show nothing here. */
export function MenuFoot({ unread }: { unread: number }) {
  const { chat, userId } = useAdminChat()
  const userName = useAuth((auth) => auth.userName)
  const { data } = useQuery({
    queryKey: ['version'],
    queryFn: ({ signal }) => callAsAdmin<Version>(adminPaths.version, { signal }),
  })
  return (
    <>
      <div className="menu-foot">
        <p className="dashboard-menu-user">Signed in as {userName}</p>
        {data && <p>Version {data.version}</p>}
      </div>
      <DeviceNotifications userId={userId} chat={chat} unread={unread} />
    </>
  )
}
