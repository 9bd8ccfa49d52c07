import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { FormState } from '@proctorpass/shared/ssr'
import type { HydrationState } from 'react-router-dom'

/** What the server says in each page, as JSON outside of the root. */
export interface PageState {
  config: PublicConfig
  /** Base of the REST paths. */
  apiPrefix: string
  /** What the router's loaders gave; null where only the shell was served. */
  hydration: HydrationState | null
  /** What came of the form that this document answers. */
  form?: FormState | undefined
}

export const PAGE_STATE_ID = 'page-state'

let state: PageState | null = null

/** The state of this document; browser only. */
export function pageState(): PageState {
  if (state) return state
  const text = document.getElementById(PAGE_STATE_ID)?.textContent
  if (!text) throw new Error('This page carries no state: it was not served by the API.')
  state = JSON.parse(text) as PageState
  return state
}
