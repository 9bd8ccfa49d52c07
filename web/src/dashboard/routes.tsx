import { Navigate, type RouteObject } from 'react-router-dom'
import type { PageHandle } from '../lib/page-head.ts'
import { ChatsPage } from './chats-page.tsx'
import { DashboardLayout } from './layout.tsx'
import { MessagesPage } from './messages-page.tsx'

const head = (title: string): PageHandle => ({ title: `${title} · {brand}`, noindex: true })

/** Everything under /dashboard, for a browser only. Whoever mounts it guards it. */
export const dashboardRoute: RouteObject = {
  path: '/dashboard',
  Component: DashboardLayout,
  children: [
    { index: true, element: <Navigate to="/dashboard/chats" replace /> },
    { path: 'chats', Component: ChatsPage, handle: head('Messages') },
    { path: 'messages/:clientId', Component: MessagesPage, handle: head('Conversation') },
  ],
}
