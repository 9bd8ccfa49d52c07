import { withBrand } from '../content/with-brand.ts'

const TITLE_MAX = 65

/** What a page says about itself, to browsers, search engines and whoever shares it. */
export interface PageHead {
  /** `{brand}` stands for the name of the business. At most 65 characters show; what is longer is cut. */
  title: string
  /** 50 to 165 characters. `{brand}` as in the title. */
  description?: string
  /** Search engines stay away. */
  noindex?: true
  status?: 404
  /** Which page of a list; from 2 on it is part of the address that search engines shall know. */
  page?: number
  /** Picture to share the page with: the name of a card, or the path or URL of a post's image. */
  image?: string
  imageAlt?: string
  /** What was written, and when (ISO 8601), where the page is an article. */
  article?: { headline: string; published: string; modified: string; author?: string }
  /** The pages that lead here from the home page, this one left out. */
  trail?: readonly { name: string; path: string }[]
}

/** A route's `handle`: its head, or how to make it from what its loader gave. */
export type PageHandle = PageHead | ((loaded: never) => PageHead)

/** For a loader's page that is not there. */
export const notFoundHead: PageHead = { title: 'Page not found · {brand}', noindex: true, status: 404 }

interface Match {
  handle?: unknown
  loaderData?: unknown
}

/** Of the deepest route that says anything. */
export function pageHead(matches: readonly Match[]): PageHead | undefined {
  const match = matches.findLast(({ handle }) => handle !== undefined)
  const handle = match?.handle as PageHandle | undefined
  if (typeof handle !== 'function') return handle
  // What gives a head its words is what could not be found or read.
  if (match?.loaderData === undefined || match.loaderData === null) return notFoundHead
  return handle(match.loaderData as never)
}

/** The title as the browser shows it. */
export function titleOf({ title, page = 1 }: PageHead, brand: string): string {
  const whole = withBrand(title, brand)
  return cut(page > 1 ? `Page ${page}: ${whole}` : whole, TITLE_MAX)
}

/** At most `max` characters, ending with a whole word where there is one. */
export function cut(text: string, max: number): string {
  if (text.length <= max) return text
  const characters = Array.from(text)
  if (characters.length <= max) return text
  const kept = characters.slice(0, max - 1).join('')
  const end = kept.lastIndexOf(' ')
  return `${(end > kept.length / 2 ? kept.slice(0, end) : kept).replace(/(?<![\s.,:;·-])[\s.,:;·-]+$/, '')}…`
}
