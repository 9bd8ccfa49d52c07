import type { ErrorDetail } from './errors.ts'
import type { PublicConfig } from './schemas/config.ts'

/** What came of a form that was sent without scripts; the page shows it in place of an untouched form. */
export interface FormState {
  /** What was typed, by field name: nothing is lost. Empty after success. */
  values: Record<string, string>
  /** Shown beside their fields. A `field` of '' is of the form as a whole. */
  errors: ErrorDetail[]
  /** The success message; null when it failed. */
  message: string | null
}

/** What the server gives to the web's server entry for one page. */
export interface RenderInput {
  /** Absolute; its origin is PUBLIC_URL's, never the request's Host. */
  url: string
  config: PublicConfig
  publicUrl: string
  /** Base of the REST paths; the browser learns it from the page. */
  apiPrefix: string
  /** REST through the process itself: a path under API_PREFIX, such as `/blogs?page=1`. */
  fetchApi: (path: string) => Promise<{ status: number; json: () => Promise<unknown> }>
  /** Only where a form of this page was sent. */
  form?: FormState
  /** Told what went wrong while the page was made: to be logged, the page says no more than that it did. */
  onError?: (error: unknown) => void
}

/** A finished page, a text that is none (sitemap, feed), or where to go instead. `html` is the whole document. */
export type RenderResult =
  | { kind: 'page'; status: number; html: string }
  | { kind: 'text'; type: string; text: string }
  | { kind: 'redirect'; status: number; location: string }

/** The export of `web/src/entry-server.tsx`. */
export interface ServerEntry {
  /**
   * Two addresses with the same key are the same page. Of a query only what the route reads is in it, brought into
   * one form (`?page=2` of a list; `?page=1` and no query are one page).
   */
  pageKey: (url: string) => string
  /** The key of all addresses that no route takes. Its page has status 404 and shows nothing of the address. */
  notFoundKey: string
  render: (input: RenderInput, template: string) => Promise<RenderResult>
}
