import type { ShownTexts } from '@proctorpass/shared/page-text'
import { type PageText, pageTextPath } from '@proctorpass/shared/page-text'
import { paths } from '@proctorpass/shared/paths'
import { sectionsOf, shownHtml } from '@proctorpass/shared/shown-html'
import { kindOfKey, questionIdIn, type TextKey } from '@proctorpass/shared/text-keys'
import { withWidths } from '@proctorpass/shared/upload-src-set'
import { withNames } from '@proctorpass/shared/with-names'
import type { ComponentType } from 'react'
import { createRoot } from 'react-dom/client'
import { createBrowserRouter } from 'react-router'
import { RouterProvider } from 'react-router/dom'
import { HOME_BLOGS, HOME_REVIEWS, PAGE_SIZE, SIDEBAR_SIZE } from '../content/page-sizes.ts'
import { callApi } from '../lib/api.ts'
import type { MountPreview } from '../lib/page-preview.ts'
import { ChatHoursContext, SiteConfigContext } from '../lib/site-config.ts'

interface PageParts {
  Page: ComponentType
  /** What the page's loader returns besides its text. */
  data: Record<string, unknown>
}

/** Renders a public page into a frame of the same origin. */
export const mountPreview: MountPreview = async (frame, { textKey: key, lang, config, hours }) => {
  const pageKey = questionIdIn(key) === null ? key : 'faq'
  const [{ Page, data }, served] = await Promise.all([
    pageOf(pageKey),
    callApi<PageText<Record<string, unknown>>>(pageTextPath(pageKey, lang)),
  ])
  const inFrame = frame.contentDocument
  if (inFrame === null) throw new Error('The frame is not in the page.')
  copyStyles(inFrame)
  inFrame.documentElement.lang = lang
  const main = inFrame.createElement('main')
  main.dir = directionOf(lang)
  // Nothing in it does anything, but the keyboard can scroll it.
  main.inert = true
  inFrame.documentElement.tabIndex = 0
  const site = inFrame.createElement('div')
  site.className = 'site'
  site.append(main)
  inFrame.body.replaceChildren(site)
  const opener = new MutationObserver(() => main.querySelector('details')?.setAttribute('open', ''))
  if (questionIdIn(key) !== null) opener.observe(main, { childList: true, subtree: true })

  let text: PageText = served
  const router = createBrowserRouter(
    [{ id: 'preview', path: '*', Component: Page, loader: () => ({ ...data, text }) }],
    { window: standIn() },
  )
  const root = createRoot(main)
  root.render(
    <SiteConfigContext value={config}>
      <ChatHoursContext value={hours}>
        <RouterProvider router={router} />
      </ChatHoursContext>
    </SiteConfigContext>,
  )
  return {
    show(fields) {
      const shown = shownText(key, fields, served.text)
      text = { ...served, lang, dir: directionOf(lang), text: withNames(shown, config) }
      void router.revalidate()
    },
    unmount() {
      opener.disconnect()
      root.unmount()
      router.dispose()
    },
  }
}

/**
 * A window that stays at one address. The router for memory would do the same, but all pages of the website would load its
 * code.
 */
function standIn(): Window {
  const nothing = () => {}
  return {
    document,
    location: new URL('/', location.origin),
    history: { state: null, pushState: nothing, replaceState: nothing, go: nothing },
    addEventListener: nothing,
    removeEventListener: nothing,
  } as unknown as Window
}

async function pageOf(key: TextKey): Promise<PageParts> {
  const blogs = (count: number) => list(`${paths.blogs}?page=1&perPage=${count}`)
  const reviews = (count: number) => list(`${paths.reviews}?page=1&perPage=${count}`)
  switch (kindOfKey(key)) {
    case 'home':
      return {
        Page: (await import('./home.tsx')).HomePage,
        data: { blogs: await blogs(HOME_BLOGS), reviews: await reviews(HOME_REVIEWS) },
      }
    case 'blogs':
      return {
        Page: (await import('./blogs.tsx')).BlogsPage,
        data: { page: 1, list: await blogs(PAGE_SIZE) },
      }
    case 'reviews':
      return {
        Page: (await import('./reviews.tsx')).ReviewsPage,
        data: { page: 1, list: await reviews(PAGE_SIZE) },
      }
    case 'contact':
      return { Page: (await import('./contact.tsx')).ContactPage, data: {} }
    case 'faq':
      return { Page: (await import('./faq.tsx')).FaqPage, data: {} }
    case 'article':
      return {
        Page: (await import('./article.tsx')).ArticlePage,
        data: { slug: key.slice('article:'.length), related: await blogs(SIDEBAR_SIZE) },
      }
    default:
      return { Page: (await import('./policy.tsx')).PolicyPage, data: {} }
  }
}

/** A page says itself that a list could not be loaded. */
function list(path: string): Promise<unknown> {
  return callApi(path).catch(() => null)
}

/** Puts fields into a page's text, as the server would show them. */
function shownText(
  key: TextKey,
  fields: Record<string, unknown>,
  served: Record<string, unknown>,
): Record<string, unknown> {
  const question = questionIdIn(key)
  if (question !== null) return withQuestion(question, fields, served as unknown as ShownTexts['faq'])
  const { content, ...rest } = fields
  if (key === 'faq')
    return { ...served, ...rest, groups: groupsOf(rest, served as unknown as ShownTexts['faq']) }
  if (typeof content !== 'string') return { ...served, ...rest }
  if (key === 'privacy' || key === 'terms') {
    return { ...served, ...rest, sections: sectionsOf(withWidths(content)) }
  }
  return { ...served, ...rest, ...shownHtml(withWidths(content)) }
}

/** Shows one question alone. */
function withQuestion(id: string, fields: Record<string, unknown>, served: ShownTexts['faq']) {
  const group = served.groups.find(({ questions }) => questions.some((each) => each.id === id))
  const html = shownHtml(withWidths(String(fields.answer ?? ''))).html
  const question = { id, question: String(fields.question ?? ''), html }
  return {
    ...served,
    groups: [{ id: group?.id ?? 'group', title: group?.title ?? '', questions: [question] }],
  }
}

function groupsOf(fields: Record<string, unknown>, served: ShownTexts['faq']): ShownTexts['faq']['groups'] {
  return (fields.groups as { id: string; title: string }[]).map(({ id, title }) => ({
    ...{ id, title },
    questions: served.groups.find((group) => group.id === id)?.questions ?? [],
  }))
}

function directionOf(lang: string): 'ltr' | 'rtl' {
  const locale = new Intl.Locale(lang) as Intl.Locale & {
    getTextInfo?: () => { direction: 'ltr' | 'rtl' }
    textInfo?: { direction: 'ltr' | 'rtl' }
  }
  return (locale.getTextInfo?.() ?? locale.textInfo)?.direction ?? 'ltr'
}

/** The first style sheet is that of the website. The others are the dashboard's. */
function copyStyles(inFrame: Document): void {
  const sheet = document.querySelector('link[rel="stylesheet"]')
  if (sheet) inFrame.head.append(inFrame.importNode(sheet, true))
}
