import { withBrand } from '../content/with-brand.ts'

const TITLE_MAX = 65

/** A page's metadata for browsers, search engines and link previews. */
export interface PageHead {
  /** `{brand}` is replaced by the name of the business. Cut to 65 characters. */
  title: string
  /** Of posts and articles, 50 to 165 characters. The other pages' are in `content/descriptions.ts`. */
  description?: string
  noindex?: true
  /** A page of the dashboard, or its sign-in: links the dashboard's manifest. */
  admin?: true
  status?: 404
  /** The page number of a list; from 2 on it is part of the canonical URL. */
  page?: number
  /** Image of the link preview: the name of a card, or the path or URL of a post's image. */
  image?: string
  /** What the image shows. Without it, link previews describe the image by the title. */
  imageAlt?: string | undefined
  /** For posts and articles. Dates are ISO 8601. */
  article?: { headline: string; published: string; modified: string; author?: string }
  /** Breadcrumbs between the home page and this page. */
  trail?: readonly { name: string; path: string }[]
}

/** A route's `handle`: its head, or a function that makes it from the loader's data. */
export type PageHandle = PageHead | ((loaderData: never) => PageHead)

export const notFoundHead: PageHead = { title: 'Page not found · {brand}', noindex: true, status: 404 }

interface Match {
  handle?: unknown
  loaderData?: unknown
}

/** The head of the deepest route that has one. */
export function pageHead(matches: readonly Match[]): PageHead | undefined {
  const match = matches.findLast(({ handle }) => handle !== undefined)
  const handle = match?.handle as PageHandle | undefined
  if (typeof handle !== 'function') return handle
  // The loader failed: there is no data to make a head from.
  if (match?.loaderData === undefined || match.loaderData === null) return notFoundHead
  return handle(match.loaderData as never)
}

export function titleOf({ title, page = 1 }: PageHead, brand: string): string {
  const whole = withBrand(title, brand)
  return cut(page > 1 ? `Page ${page}: ${whole}` : whole, TITLE_MAX)
}

/** At most `max` characters, cut between words where possible. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const characters = Array.from(text)
  if (characters.length <= max) return text
  const start = characters.slice(0, max - 1).join('')
  const end = start.lastIndexOf(' ')
  return `${(end > start.length / 2 ? start.slice(0, end) : start).replace(/(?<![\s.,:;·-])[\s.,:;·-]+$/, '')}…`
}
