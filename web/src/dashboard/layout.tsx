import {
  Bell,
  LogOut,
  Menu,
  MessageSquareText,
  PanelLeftClose,
  PanelLeftOpen,
  Volume2,
  VolumeX,
  X,
} from 'virtual:icons'
import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { Link, matchPath, Outlet, useLocation, useNavigate } from 'react-router'
import { prepareChimes, setMuted, useMuted } from '../chat/alerts/sounds.ts'
import { useTitleBadge } from '../chat/alerts/use-title-badge.ts'
import { BrandMark } from '../components/brand-mark.tsx'
import { Icon } from '../components/icon.tsx'
import { toast } from '../components/toast.ts'
import { useAuth } from '../lib/auth-store.ts'
import { signOut } from '../lib/session.ts'
import { Confirmation } from './account/confirmation.tsx'
import { AdminChatProvider, useAdminLink } from './chats/live/admin-chat-context.tsx'
import { useUnreadChime, useUnreadTotal } from './chats/live/unread.ts'
import { Commands } from './commands.tsx'
import { MY_REVIEWS, menuGroups } from './menu.ts'
import { usePendingReviews } from './reviews/reviews.ts'
import { MenuSearches } from './search/menu-searches.tsx'
import { IconButton } from './ui/icon-button.tsx'
import { onDemand } from './ui/on-demand.tsx'
import { createQueryClient, FACTOR_REQUIRED } from './ui/query-client.ts'
import { useCloseOnBack } from './ui/use-close-on-back.ts'
import './dashboard.css'

/** The frame can be drawn without this code. */
const loadLater = () => import('./frame-later.tsx')
const FitViewport = onDemand(async () => (await loadLater()).FitViewport)

const Tips = onDemand(async () => (await loadLater()).Tips)

const MenuFoot = onDemand(async () => (await loadLater()).MenuFoot)

const UpdatesBell = onDemand(async () => (await loadLater()).UpdatesBell)

/** Describes the connection's troubles for which the engine has a name. Other troubles have the server's own words. */
const TROUBLES: Partial<Record<string, string>> = {
  offline: "You're offline. Your replies will be sent when you're back online.",
  unreachable: "We can't reach the server. We'll keep trying.",
}

/** Renders the frame of every dashboard page. The guard above ensures that an admin is signed in. */
export function DashboardLayout() {
  const userId = useAuth((auth) => auth.user_Id)
  const navigate = useNavigate()
  const [queryClient] = useState(() =>
    createQueryClient(
      () =>
        // This runs again for each refused poll, and the page must not scroll.
        void navigate('/dashboard/account', {
          replace: true,
          state: FACTOR_REQUIRED,
          preventScrollReset: true,
        }),
    ),
  )
  if (userId === null) return null
  return (
    <QueryClientProvider client={queryClient}>
      <AdminChatProvider key={userId} userId={userId}>
        <Frame />
        <Confirmation />
      </AdminChatProvider>
    </QueryClientProvider>
  )
}

function Frame() {
  const { via, trouble } = useAdminLink()
  const unread = useUnreadTotal(via)
  useUnreadChime(unread)
  const pendingReviews = usePendingReviews().data?.count ?? 0
  useTitleBadge(unread)
  useEffect(prepareChimes, [])

  const frame = useRef<HTMLDivElement>(null)
  const menuId = useId()
  const [collapsed, setCollapsed] = useState(false)
  const [open, setOpen] = useState(false)
  const hamburger = useRef<HTMLButtonElement>(null)
  const { pathname, search } = useLocation()
  useCloseOnBack(open, () => setOpen(false))
  // The menu closes after a navigation.
  useEffect(() => setOpen(false), [pathname, search])

  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape closes the menu wherever the focus is
    <div
      ref={frame}
      className="dashboard"
      data-menu-collapsed={collapsed}
      data-menu-open={open}
      // The open menu covers the page, so that a tap beside the menu closes it and does nothing else.
      onClickCapture={(event) => {
        if (!open || !(event.target as Element).closest('main')) return
        event.preventDefault()
        event.stopPropagation()
        setOpen(false)
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return
        setOpen(false)
        hamburger.current?.focus()
      }}
    >
      <a className="skip-link" href="#dashboard-main">
        Skip to content
      </a>
      <header className="dashboard-bar">
        <button
          ref={hamburger}
          type="button"
          className="icon-button dashboard-hamburger"
          aria-expanded={open}
          aria-controls={menuId}
          aria-label="Menu"
          onClick={() => setOpen(!open)}
        >
          <Icon of={open ? X : Menu} />
        </button>
        <BrandMark />
        <span className="dashboard-bell">
          <UpdatesBell onFailed={() => {}} icon={<Icon of={Bell} />} />
        </span>
        <Link
          className="icon-button"
          to="/dashboard/chats"
          aria-label={`Support, ${unread} unread ${unread === 1 ? 'message' : 'messages'}`}
        >
          <Icon of={MessageSquareText} />
          {unread > 0 && <span className="dashboard-badge">{unread}</span>}
        </Link>
        <Commands />
      </header>
      <nav className="dashboard-menu" id={menuId} aria-label="Dashboard">
        <div className="dashboard-menu-groups">
          {menuGroups.map((group) => (
            <MenuGroup key={group.label} {...group} collapsed={collapsed} pendingReviews={pendingReviews} />
          ))}
        </div>
        <Account>
          <MenuFoot onFailed={() => {}} unread={unread} />
        </Account>
        <IconButton
          icon={collapsed ? PanelLeftOpen : PanelLeftClose}
          label={collapsed ? 'Expand menu' : 'Collapse menu'}
          aria-expanded={!collapsed}
          aria-controls={menuId}
          onClick={() => setCollapsed(!collapsed)}
        />
      </nav>
      <main className="dashboard-main" id="dashboard-main" tabIndex={-1}>
        <p className="dashboard-trouble" role="status">
          {trouble && (TROUBLES[trouble] ?? trouble)}
        </p>
        <Outlet />
      </main>
      <Tips onFailed={() => {}} />
      <FitViewport onFailed={() => {}} frame={frame} />
    </div>
  )
}

type MenuGroupProps = (typeof menuGroups)[number] & { collapsed: boolean; pendingReviews: number }

function MenuGroup({ label: groupLabel, entries, collapsed, pendingReviews }: MenuGroupProps) {
  const id = useId()
  const { pathname } = useLocation()
  return (
    <>
      <p className="dashboard-menu-group" id={id}>
        {groupLabel}
      </p>
      <ul aria-labelledby={id}>
        {entries.map(({ path, label, icon, also }) => (
          <li key={path}>
            <Link
              to={path}
              data-tip={collapsed ? label : undefined}
              aria-current={
                [path, also].some((page) => page && matchPath(page, pathname)) ? 'page' : undefined
              }
            >
              <Icon of={icon} />
              <span className="dashboard-menu-label">
                {label}{' '}
                {path === MY_REVIEWS && pendingReviews > 0 && (
                  <span className="visually-hidden">({pendingReviews} waiting for approval)</span>
                )}
              </span>
              {path === MY_REVIEWS && pendingReviews > 0 && (
                <span className="dashboard-badge" aria-hidden="true">
                  {pendingReviews}
                </span>
              )}
            </Link>
          </li>
        ))}
        {groupLabel === 'Inbox' && <MenuSearches collapsed={collapsed} />}
      </ul>
    </>
  )
}

/** Shows the signed-in admin at the foot of the menu. */
function Account({ children }: { children: ReactNode }) {
  const userName = useAuth((auth) => auth.userName)
  const muted = useMuted()
  const navigate = useNavigate()

  async function handleSignOut() {
    import('../lib/notification-choices.ts').then(({ endPush }) => endPush()).catch(() => {})
    try {
      await signOut()
    } catch {
      toast.error('something went wrong')
    }
    navigate('/login', { replace: true })
  }

  return (
    <div className="dashboard-account">
      <p className="dashboard-user">
        <span className="visually-hidden">Signed in as </span>
        <b>{userName}</b>
        {children}
      </p>
      <IconButton
        icon={muted ? VolumeX : Volume2}
        label="Mute sounds"
        aria-pressed={muted}
        onClick={() => setMuted(!muted)}
      />
      <IconButton icon={LogOut} label="Sign out" onClick={handleSignOut} />
    </div>
  )
}
