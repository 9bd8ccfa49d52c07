import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Version } from '@proctorpass/shared/schemas/config'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react'
import { Link, Navigate, useNavigation } from 'react-router'
import { callAsAdmin } from '../lib/session.ts'
import { useAdminChat, useAdminLink } from './chats/live/admin-chat-context.tsx'
import { unreadQuery } from './chats/live/unread.ts'
import { useUpdates, useUpdateToasts } from './chats/live/use-updates.ts'
import { DeviceNotifications } from './notifications/device-notifications.tsx'
import { EmptyState } from './ui/empty-state.tsx'
import { Loading } from './ui/loading.tsx'
import { onDemand } from './ui/on-demand.tsx'
import { PageHeading } from './ui/page-heading.tsx'
import { useTeam } from './ui/team.ts'

export { Tips } from './ui/tips.tsx'

/** Fits the frame above an on-screen keyboard that covers the page, as on iOS. A pinch zoom does not resize it. */
export function FitViewport({ frame }: { frame: RefObject<HTMLElement | null> }) {
  useEffect(() => {
    const viewport = window.visualViewport
    if (!viewport) return
    const fit = () => {
      const { height, offsetTop, scale } = viewport
      const isCovered = scale < 1.01 && height < window.innerHeight - 1
      frame.current?.style.setProperty('--visual-height', isCovered ? `${height}px` : '')
      frame.current?.style.setProperty('--visual-top', isCovered ? `${offsetTop}px` : '')
    }
    const events = ['resize', 'scroll'] as const
    for (const name of events) viewport.addEventListener(name, fit)
    return () => {
      for (const name of events) viewport.removeEventListener(name, fit)
    }
  }, [frame])
  return null
}

const AddPostPage = onDemand(async () => (await import('./posts/add-post-page.tsx')).AddPostPage)

/** Shows `/dashboard`: the conversations if a message is unread, and otherwise the form for a post. */
export function HomePage() {
  const { data, isError } = useQuery(unreadQuery)
  // The page decides once, so that a message that arrives later does not replace the form.
  const [hasUnread, setHasUnread] = useState<boolean | null>(null)
  if (hasUnread === null && (data || isError)) setHasUnread((data?.totalAdminUnread ?? 0) > 0)
  // A link that the admin presses while the count loads must still work: a redirect would cancel its navigation.
  const isLeaving = useNavigation().state !== 'idle'
  if (hasUnread === false) return <AddPostPage onFailed={() => {}} />
  return hasUnread && !isLeaving ? <Navigate to="/dashboard/chats" replace /> : <Loading />
}

/**
 * Shows whether the admin is on duty, and the server's version. It also runs this device's notifications, which show
 * nothing here.
 */
export function MenuFoot({ unread }: { unread: number }) {
  const { chat, userId } = useAdminChat()
  const own = useTeam().find((admin) => admin.userId === userId)
  const { data } = useQuery({
    queryKey: ['version'],
    queryFn: ({ signal }) => callAsAdmin<Version>(adminPaths.version, { signal }),
  })
  return (
    <>
      {own && <small>{own.onDuty ? 'On duty' : 'Off duty'}</small>}
      {data && <small>Version {data.version}</small>}
      <DeviceNotifications userId={userId} chat={chat} unread={unread} />
    </>
  )
}

export function NotFoundPage() {
  return (
    <section className="dashboard-page">
      <PageHeading>Page not found</PageHeading>
      <EmptyState
        message="Check the address, or choose a page from the menu."
        action={
          <Link className="button" to="/dashboard">
            Back to the dashboard
          </Link>
        }
      />
    </section>
  )
}

const UpdateMenu = onDemand(async () => (await import('./update-menu.tsx')).UpdateMenu)

/** Shows the bell with the number of new updates. It opens their list. */
export function UpdatesBell({ icon }: { icon: ReactNode }) {
  const { via } = useAdminLink()
  const updates = useUpdates(via)
  useUpdateToasts(updates)
  const [isOpen, setOpen] = useState(false)
  const button = useRef<HTMLButtonElement>(null)
  const count = updates?.filter(({ isSeen }) => !isSeen).length ?? 0
  return (
    <>
      <button
        ref={button}
        type="button"
        className="icon-button"
        aria-haspopup="dialog"
        aria-label={count === 0 ? 'Notifications' : `Notifications, ${count} new`}
        onClick={() => setOpen(true)}
      >
        {icon}
        {count > 0 && <span className="dashboard-badge">{count}</span>}
      </button>
      {isOpen && (
        <UpdateMenu
          onFailed={() => setOpen(false)}
          updates={updates ?? []}
          near={button.current}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  )
}
