import { ARTICLE_SLUGS } from '@proctorpass/shared/limits'
import { Outlet, type RouteObject } from 'react-router'
import { FullScreenSpinner } from './components/spinner.tsx'
import { notFoundHead, type PageHandle, type PageHead } from './metadata/page-head.ts'
import { articleHead, articleLoader } from './pages/article-data.ts'
import { blogHead, loadBlog } from './pages/blog-data.ts'
import { blogsHead, loadBlogs } from './pages/blogs-data.ts'
import { NotFoundPage, PageError, UnauthorizedPage } from './pages/error-pages.tsx'
import { ErrorScreen } from './pages/error-screen.tsx'
import { loadHome } from './pages/home-data.ts'
import { loadReviews, reviewsHead } from './pages/reviews-data.ts'
import { RootLayout } from './pages/root-layout.tsx'
import { SiteLayout } from './pages/site-layout.tsx'
import { type TextData, textHead, textLoader } from './pages/text-page.tsx'

/** The browser adds the dashboard's routes to this route on the first visit. */
export const ADMIN_AREA_ROUTE_ID = 'admin-area'

/** The page for which only its token is needed. Its page is private. */
export const PREVIEW_ROUTE_ID = 'post-preview'

export const dashboardHead: PageHead = { title: 'Dashboard · {brand}', noindex: true, admin: true }

const head = (handle: PageHandle): PageHandle => handle

/**
 * The same tree is on the server and in the browser. Hydration matches data by route ID, so every route has an explicit
 * ID. Loaders return null, never undefined, which JSON drops. `lazy` is a function, because with its object form the
 * router loses an import's failure and renders nothing.
 */
export const routes: RouteObject[] = [
  {
    id: 'root',
    Component: RootLayout,
    ErrorBoundary: ErrorScreen,
    HydrateFallback: FullScreenSpinner,
    children: [
      {
        id: 'site',
        Component: SiteLayout,
        children: [
          {
            id: 'pages',
            // The boundary is inside SiteLayout, so that header and footer stay.
            ErrorBoundary: PageError,
            children: [
              {
                id: 'home',
                path: '/',
                lazy: async () => ({ Component: (await import('./pages/home.tsx')).HomePage }),
                loader: loadHome,
                handle: (data: TextData<'home'>) => textHead(data),
              },
              ...ARTICLE_SLUGS.map((slug) => ({
                id: `article-${slug}`,
                path: `/blog/${slug}`,
                lazy: async () => ({ Component: (await import('./pages/article.tsx')).ArticlePage }),
                loader: articleLoader(slug),
                handle: articleHead,
              })),
              {
                id: 'blogs',
                path: '/blogs',
                lazy: async () => ({ Component: (await import('./pages/blogs.tsx')).BlogsPage }),
                loader: loadBlogs,
                handle: blogsHead,
              },
              {
                id: 'blog',
                path: '/blog/:slug',
                lazy: async () => ({ Component: (await import('./pages/blog.tsx')).BlogPage }),
                loader: loadBlog,
                handle: blogHead,
              },
              {
                id: PREVIEW_ROUTE_ID,
                path: '/blog/preview/:token',
                lazy: async () => {
                  const { PostPreviewPage, loadPreview, previewHead } = await import(
                    './pages/post-preview.tsx'
                  )
                  return { Component: PostPreviewPage, loader: loadPreview, handle: previewHead }
                },
              },
              {
                id: 'reviews',
                path: '/reviews',
                lazy: async () => ({ Component: (await import('./pages/reviews.tsx')).ReviewsPage }),
                loader: loadReviews,
                handle: reviewsHead,
              },
              {
                id: 'contact',
                path: '/contact',
                lazy: async () => ({ Component: (await import('./pages/contact.tsx')).ContactPage }),
                loader: textLoader('contact'),
                handle: (data: TextData<'contact'>) => textHead(data, { image: 'contact', trail: [] }),
              },
              {
                id: 'faq',
                path: '/faq',
                lazy: async () => ({ Component: (await import('./pages/faq.tsx')).FaqPage }),
                loader: textLoader('faq'),
                handle: (data: TextData<'faq'>) => textHead(data, { image: 'faq', trail: [] }),
              },
              {
                id: 'privacy',
                path: '/privacy',
                lazy: async () => ({ Component: (await import('./pages/policy.tsx')).PolicyPage }),
                loader: textLoader('privacy'),
                handle: (data: TextData<'privacy'>) => textHead(data, { trail: [] }),
              },
              {
                id: 'terms',
                path: '/terms',
                lazy: async () => ({ Component: (await import('./pages/policy.tsx')).PolicyPage }),
                loader: textLoader('terms'),
                handle: (data: TextData<'terms'>) => textHead(data, { trail: [] }),
              },
              {
                id: 'unauthorized',
                path: '/unauthorized',
                Component: UnauthorizedPage,
                handle: head({ title: 'Unauthorized · {brand}', noindex: true }),
              },
              {
                id: 'not-found',
                path: '*',
                Component: NotFoundPage,
                handle: head(notFoundHead),
              },
            ],
          },
        ],
      },
      {
        id: 'login',
        path: '/login',
        lazy: async () => ({ Component: (await import('./sign-in/login.tsx')).LoginPage }),
        handle: head({ title: 'Admin area · {brand}', noindex: true, admin: true }),
      },
      {
        id: 'invite',
        path: '/invite',
        lazy: async () => ({ Component: (await import('./sign-in/invite.tsx')).InvitePage }),
        handle: head({ title: 'Invitation · {brand}', noindex: true }),
      },
      {
        id: 'continue',
        path: '/c',
        lazy: async () => ({ Component: (await import('./sign-in/mailed-link.tsx')).ContinuePage }),
        handle: head({ title: 'Your conversation · {brand}', noindex: true }),
      },
      {
        id: 'unsubscribe',
        path: '/c/unsubscribe',
        lazy: async () => ({ Component: (await import('./sign-in/mailed-link.tsx')).UnsubscribePage }),
        handle: head({ title: 'Unsubscribe · {brand}', noindex: true }),
      },
      {
        id: ADMIN_AREA_ROUTE_ID,
        element: <Outlet />,
        handle: dashboardHead,
      },
    ],
  },
]

export function isDashboardPath(pathname: string): boolean {
  return /^\/dashboard(\/|$)/i.test(pathname)
}

/** Returns whether the server sends only the shell. */
export function isClientRendered(pathname: string): boolean {
  return isDashboardPath(pathname) || /^\/(login|invite|c|c\/unsubscribe)\/?$/i.test(pathname)
}
