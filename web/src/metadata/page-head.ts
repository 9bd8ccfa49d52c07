import type { PageText } from '@proctorpass/shared/page-text'
import { withBrand } from '../content/with-brand.ts'

const TITLE_MAX = 65

/** A page's metadata for browsers, search engines, and link previews. */
export interface PageHead {
  /** The title. The business's name replaces `{brand}`, and the title is cut to 65 characters. */
  title: string
  /** The description, with 50 to 165 characters. */
  description?: string
  /** The page's text, if it has one. It says the page's language. */
  text?: PageText
  noindex?: true
  /** Whether the page is the dashboard's or its sign-in, and so links the dashboard's manifest. */
  admin?: true
  status?: 404
  /** A list's page number. From page 2, it is part of the canonical URL. */
  page?: number
  /** The link preview's image: a card's name, or the path or URL of a post's image. */
  image?: string
  /** What the image shows. Without it, link previews describe the image with the title. */
  imageAlt?: string | undefined
  /** What only posts and articles have. Dates are ISO 8601. The author is an organization or a person. */
  article?: { headline: string; published: string; modified: string; author?: string; person?: string }
  /** The breadcrumbs between the home page and this page. */
  trail?: readonly { name: string; path: string }[]
}

/** A route's `handle`: its head, or a function that makes the head from the loader's data. */
export type PageHandle = PageHead | ((loaderData: never) => PageHead)

export const notFoundHead: PageHead = { title: 'Page not found · {brand}', noindex: true, status: 404 }

interface Match {
  handle?: unknown
  loaderData?: unknown
}

/** Returns the head of the deepest route that has one. */
export function pageHead(matches: readonly Match[]): PageHead | undefined {
  const match = matches.findLast(({ handle }) => handle !== undefined)
  const handle = match?.handle as PageHandle | undefined
  if (typeof handle !== 'function') return handle
  // The loader has failed, so there is no data for a head.
  if (match?.loaderData === undefined || match.loaderData === null) return notFoundHead
  return handle(match.loaderData as never)
}

/** Returns the language of a page. */
export const langOf = (head: PageHead | undefined): string => head?.text?.lang ?? 'en'

export function titleOf({ title, page = 1 }: PageHead, brand: string): string {
  const whole = withBrand(title, brand)
  return cut(page > 1 ? `Page ${page}: ${whole}` : whole, TITLE_MAX)
}

/** Returns at most `max` characters. It cuts between words if possible. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const characters = Array.from(text)
  if (characters.length <= max) return text
  const start = characters.slice(0, max - 1).join('')
  const end = start.lastIndexOf(' ')
  return `${(end > start.length / 2 ? start.slice(0, end) : start).replace(/(?<![\s.,:;·-])[\s.,:;·-]+$/, '')}…`
}
