import type { RouteObject } from 'react-router-dom'
import type { PageHandle } from '../documents/page-head.ts'
import { AccountPage } from './account-page.tsx'
import { ChatsPage } from './chats/chats-page.tsx'
import { MessagesPage } from './chats/messages-page.tsx'
import { ContactsPage } from './contacts-page.tsx'
import { DashboardLayout } from './layout.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { AddPostPage } from './posts/add-post-page.tsx'
import { EditPostPage } from './posts/edit-post-page.tsx'
import { MyPostsPage } from './posts/my-posts-page.tsx'
import { AddReviewPage } from './reviews/add-review-page.tsx'
import { MyReviewsPage } from './reviews/my-reviews-page.tsx'

const head = (title: string): PageHandle => ({ title: `${title} · {brand}`, noindex: true })

/** All routes under /dashboard, for the browser only and behind the guard of `adminArea`. */
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
    {
      path: 'replies',
      lazy: async () => ({ Component: (await import('./replies/replies-page.tsx')).RepliesPage }),
      handle: head('Canned replies'),
    },
    {
      path: 'team',
      lazy: async () => ({ Component: (await import('./team/team-page.tsx')).TeamPage }),
      handle: head('Team'),
    },
    { path: 'chats', Component: ChatsPage, handle: head('Messages') },
    { path: 'messages/:clientId', Component: MessagesPage, handle: head('Conversation') },
    {
      path: 'search',
      lazy: async () => ({ Component: (await import('./search/search-page.tsx')).SearchPage }),
      handle: head('Search'),
    },
    { path: '*', Component: NotFoundPage, handle: head('Page not found') },
  ],
}
