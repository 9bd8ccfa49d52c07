import type { RouteObject } from 'react-router'
import type { PageHandle } from '../metadata/page-head.ts'
import { ChatsPage } from './chats/list/chats-page.tsx'
import { DashboardLayout } from './layout.tsx'

const head = (title: string): PageHandle => ({ title: `${title} · {brand}`, noindex: true, admin: true })

/**
 * All routes under /dashboard. They run only in the browser and behind the guard in `adminArea`. Only the list of
 * conversations is loaded together with the frame.
 */
export const dashboardRoute: RouteObject = {
  path: '/dashboard',
  Component: DashboardLayout,
  children: [
    {
      index: true,
      lazy: async () => ({ Component: (await import('./frame-later.tsx')).HomePage }),
      handle: head('Add blog'),
    },
    {
      path: 'add-blog',
      lazy: async () => ({ Component: (await import('./posts/add-post-page.tsx')).AddPostPage }),
      handle: head('Add blog'),
    },
    {
      path: 'edit/:slug',
      lazy: async () => ({ Component: (await import('./posts/edit-post-page.tsx')).EditPostPage }),
      handle: head('Edit Blog'),
    },
    {
      path: 'my-blogs',
      lazy: async () => ({ Component: (await import('./posts/my-posts-page.tsx')).MyPostsPage }),
      handle: head('Blogs'),
    },
    {
      path: 'add-review',
      lazy: async () => ({ Component: (await import('./reviews/add-review-page.tsx')).AddReviewPage }),
      handle: head('Add review'),
    },
    {
      path: 'my-reviews',
      lazy: async () => ({ Component: (await import('./reviews/my-reviews-page.tsx')).MyReviewsPage }),
      handle: head('Reviews'),
    },
    {
      path: 'pages',
      lazy: async () => ({ Component: (await import('./texts/pages-page.tsx')).PagesPage }),
      handle: head('Pages'),
    },
    {
      path: 'pages/:key',
      lazy: async () => ({ Component: (await import('./texts/text-page.tsx')).TextPage }),
      handle: head('Edit page'),
    },
    {
      path: 'faq',
      lazy: async () => ({ Component: (await import('./texts/faq-page.tsx')).FaqPage }),
      handle: head('FAQ'),
    },
    {
      path: 'faq/:id',
      lazy: async () => ({ Component: (await import('./texts/text-page.tsx')).TextPage }),
      handle: head('Edit question'),
    },
    {
      path: 'contacts',
      lazy: async () => ({ Component: (await import('./contacts/contacts-page.tsx')).ContactsPage }),
      handle: head('Contact messages'),
    },
    {
      path: 'account',
      lazy: async () => ({ Component: (await import('./account/account-page.tsx')).AccountPage }),
      handle: head('Account'),
    },
    {
      path: 'replies',
      lazy: async () => ({ Component: (await import('./replies/replies-page.tsx')).RepliesPage }),
      handle: head('Canned replies'),
    },
    {
      path: 'sites',
      lazy: async () => ({ Component: (await import('./sites/sites-page.tsx')).SitesPage }),
      handle: head('Sites'),
    },
    {
      path: 'team',
      lazy: async () => ({ Component: (await import('./team/team-page.tsx')).TeamPage }),
      handle: head('Team'),
    },
    {
      path: 'settings',
      lazy: async () => ({ Component: (await import('./settings/settings-page.tsx')).SettingsPage }),
      handle: head('Settings'),
    },
    {
      path: 'integrations',
      lazy: async () => ({
        Component: (await import('./integrations/integrations-page.tsx')).IntegrationsPage,
      }),
      handle: head('Integrations'),
    },
    {
      path: 'audit',
      lazy: async () => ({ Component: (await import('./audit/audit-page.tsx')).AuditPage }),
      handle: head('Audit log'),
    },
    { path: 'chats', Component: ChatsPage, handle: head('Messages') },
    {
      path: 'messages/:clientId',
      lazy: async () => ({
        Component: (await import('./chats/conversation/messages-page.tsx')).MessagesPage,
      }),
      handle: head('Conversation'),
    },
    {
      path: 'reports',
      lazy: async () => ({ Component: (await import('./live-reports.tsx')).LiveReports }),
      handle: head('Reports'),
    },
    {
      path: 'search',
      lazy: async () => ({ Component: (await import('./search/search-page.tsx')).SearchPage }),
      handle: head('Search'),
    },
    ...(import.meta.env.DEV
      ? [
          {
            path: 'components',
            lazy: async () => ({ Component: (await import('./components-page.tsx')).ComponentsPage }),
            handle: head('Components'),
          },
        ]
      : []),
    {
      path: '*',
      lazy: async () => ({ Component: (await import('./frame-later.tsx')).NotFoundPage }),
      handle: head('Page not found'),
    },
  ],
}
