import type { FrameSite } from './embed.ts'
import type { ErrorDetail } from './errors.ts'
import type { PublicConfig } from './schemas/config.ts'
import type { Hours } from './schemas/settings.ts'
import type { Suggestions } from './schemas/suggestion.ts'

/** The result of a form that was posted without scripts; the page shows it in the form. */
export interface FormState {
  /** The typed values by field name; empty after success. */
  values: Record<string, string>
  /** Shown beside their fields; the `field` '' stands for the whole form. */
  errors: ErrorDetail[]
  /** The success message; null when it failed. */
  message: string | null
}

/** The input of the web's server entry for one page. */
export interface RenderInput {
  /** Absolute, with the origin of PUBLIC_URL and never the request's Host. */
  url: string
  config: PublicConfig
  publicUrl: string
  /** The opening hours of the chat. Null: always open. Undefined while the store cannot be read. */
  hours: Hours | null | undefined
  /** Whether the settings have cards; missing: no, or they cannot be read. */
  hasCards?: true | undefined
  /** Base of the REST paths, also in the page's state. */
  apiPrefix: string
  /** Calls the REST API in this process. The path is under API_PREFIX, such as `/blogs?page=1`. */
  fetchApi: (path: string) => Promise<{ status: number; json: () => Promise<unknown> }>
  /** Present only if one of this page's forms was posted. */
  form?: FormState
  /** Receives rendering errors for the log, because the page shows no details. */
  onError?: (error: unknown) => void
}

/** The input for the page of a site's frame. */
export interface FrameInput extends Pick<RenderInput, 'config' | 'apiPrefix'> {
  site: FrameSite
}

/** A page, a text file such as the sitemap, or a redirect. `html` is the whole document. */
export type RenderResult =
  | { kind: 'page'; status: number; html: string }
  | { kind: 'text'; type: string; text: string }
  | { kind: 'redirect'; status: number; location: string }

/** The export of `web/src/entry-server.tsx`. */
export interface ServerEntry {
  /**
   * Two URLs with the same key are the same page. Of the query it has only what the route reads, normalized: for a
   * list, `?page=1` and no query have the same key.
   */
  pageKey: (url: string) => string
  /** The key of all URLs without a route. Its page has status 404 and shows nothing of the URL. */
  notFoundKey: string
  /** The slug of a post's page, null for other URLs. */
  postSlug: (url: string) => string | null
  /** The key of the page of all posts that do not exist. Its page has status 404 and shows nothing of the URL. */
  missingPostKey: string
  render: (input: RenderInput, template: string) => Promise<RenderResult>
  /** What the chat suggests beside posts: questions of the FAQ, and articles. */
  suggestedPages: readonly { path: string; title: string }[]
  /**
   * Searches these pages and the posts as the chat does. Of a text for which it finds none, the words that say what the text
   * is about, folded, each once; else null.
   */
  missingWords: (posts: Suggestions['pages']) => (text: string) => string[] | null
  /** The page of a site's frame. */
  renderFrame: (input: FrameInput, template: string) => string
}
