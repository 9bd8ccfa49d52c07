import type { PublicConfig } from './schemas/config.ts'

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
}

/** A finished page, or where to go instead. `html` is the whole document. */
export type RenderResult =
  | { kind: 'page'; status: number; html: string }
  | { kind: 'redirect'; status: number; location: string }

/** The export of `web/src/entry-server.tsx`. */
export interface ServerEntry {
  /** Two addresses with the same key are the same page; what no route reads, such as a query, is not in it. */
  pageKey: (url: string) => string
  render: (input: RenderInput, template: string) => Promise<RenderResult>
}
