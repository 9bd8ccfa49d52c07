import type { FrameSite } from './embed.ts'
import type { ErrorDetail } from './errors.ts'
import type { ListedText, PageText } from './page-text.ts'
import type { PublicConfig } from './schemas/config.ts'
import type { ShownLanguages } from './schemas/language.ts'
import type { Hours } from './schemas/settings.ts'
import type { Suggestions } from './schemas/suggestion.ts'

/** The result of a form that was posted without scripts. The page shows it in the form. */
export interface FormState {
  /** The typed values by field name. Empty after success. */
  values: Record<string, string>
  /** The errors shown beside their fields. The `field` '' stands for the whole form. */
  errors: ErrorDetail[]
  /** The success message. Null if the form failed. */
  message: string | null
}

/** The input to the web's server entry for one page. */
export interface RenderInput {
  /** An absolute URL, with PUBLIC_URL's origin and never the request's Host. */
  url: string
  config: PublicConfig
  publicUrl: string
  /** The chat's opening hours. Null if it is always open. Undefined while the store cannot be read. */
  hours: Hours | null | undefined
  /** Whether the settings have cards. Missing if there are none, or if the settings cannot be read. */
  hasCards?: true | undefined
  /** The languages that visitors can choose. */
  languages: ShownLanguages
  /** The base of the REST paths, which is also in the page's state. */
  apiPrefix: string
  /** Calls the REST API in this process. The path is under API_PREFIX, such as `/blogs?page=1`. */
  fetchApi: (path: string) => Promise<{ status: number; json: () => Promise<unknown> }>
  /** The texts of pages, which `GET /texts/:key/page` answers too. */
  texts: {
    /** Resolves with null if the text cannot be read. */
    page: (key: string, lang: string) => Promise<PageText | null>
    /** Lists the pages that have a text. Rejects if the store cannot be read. */
    listed: () => Promise<ListedText[]>
  }
  /** Present only if one of this page's forms was posted. */
  form?: FormState
  /** Receives rendering errors for the log, because the page shows no details. */
  onError?: (error: unknown) => void
}

/** The input for the page in a site's frame. */
export interface FrameInput extends Pick<RenderInput, 'config' | 'languages' | 'apiPrefix'> {
  site: FrameSite
}

/**
 * A page, a text file such as the sitemap, or a redirect. `html` is the whole document. A private page is for those who
 * know its address.
 */
export type RenderResult =
  | { kind: 'page'; status: number; html: string; isPrivate?: boolean }
  | { kind: 'text'; type: string; text: string }
  | { kind: 'redirect'; status: number; location: string }

/** The exports of `web/src/entry-server.tsx`. */
export interface ServerEntry {
  /**
   * Returns a page's key. Two URLs with the same key are the same page. The key holds only the part of the query that
   * the route reads, normalized: for a list, `?page=1` and no query have the same key. `?lang=` counts for the languages
   * that are switched on.
   */
  pageKey: (url: string, languages?: readonly string[]) => string
  /** The key of all URLs without a route. Its page has status 404 and shows nothing from the URL. */
  notFoundKey: string
  /** Returns the slug of a post's page, or null for other URLs. */
  postSlug: (url: string) => string | null
  /** The key of all posts that do not exist. Its page has status 404 and shows nothing from the URL. */
  missingPostKey: string
  render: (input: RenderInput, template: string) => Promise<RenderResult>
  /**
   * Returns a function that searches these pages as the chat does. If the search finds nothing for a text, the function
   * returns the words that say what the text is about, folded, each once. Otherwise it returns null.
   */
  missingWords: (pages: Suggestions['pages']) => (text: string) => string[] | null
  /** Renders the page in a site's frame. */
  renderFrame: (input: FrameInput, template: string) => string
}
