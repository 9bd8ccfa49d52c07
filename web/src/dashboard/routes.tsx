import type { RouteObject } from 'react-router-dom'
import type { PageHandle } from '../lib/page-head.ts'
import { AccountPage } from './account-page.tsx'
import { AddPostPage } from './add-post-page.tsx'
import { AddReviewPage } from './add-review-page.tsx'
import { ChatsPage } from './chats-page.tsx'
import { ContactsPage } from './contacts-page.tsx'
import { EditPostPage } from './edit-post-page.tsx'
import { DashboardLayout } from './layout.tsx'
import { MessagesPage } from './messages-page.tsx'
import { MyPostsPage } from './my-posts-page.tsx'
import { MyReviewsPage } from './my-reviews-page.tsx'

const head = (title: string): PageHandle => ({ title: `${title} · {brand}`, noindex: true })

/** Everything under /dashboard, for a browser only. Whoever mounts it guards it. */
export const dashboardRoute: RouteObject = {
  path: '/dashboard',
  Component: DashboardLayout,
  children: [
    { index: true, Component: AddPostPage, handle: head('Add Blog') },
    { path: 'add-blog', Component: AddPostPage, handle: head('Add Blog') },
    { path: 'edit/:slug', Component: EditPostPage, handle: head('Edit Blog') },
    { path: 'my-blogs', Component: MyPostsPage, handle: head('Blogs') },
    { path: 'add-review', Component: AddReviewPage, handle: head('Add Review') },
    { path: 'my-reviews', Component: MyReviewsPage, handle: head('Reviews') },
    { path: 'contacts', Component: ContactsPage, handle: head('Contacts') },
    { path: 'account', Component: AccountPage, handle: head('Account') },
    { path: 'chats', Component: ChatsPage, handle: head('Messages') },
    { path: 'messages/:clientId', Component: MessagesPage, handle: head('Conversation') },
  ],
}
