import type { FrameSite } from '@proctorpass/shared/embed'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { FormState, RenderInput } from '@proctorpass/shared/ssr'
import type { HydrationState } from 'react-router'

/** What the server writes into each page, as JSON outside of the root. */
export interface PageState {
  config: PublicConfig
  /** Base of the REST paths. */
  apiPrefix: string
  hours: RenderInput['hours']
  hasCards?: RenderInput['hasCards']
  /** The results of the router's loaders; null where only the shell was served. */
  hydration: HydrationState | null
  /** In the frame of a site. */
  site?: FrameSite | undefined
  /** The result of the form whose submission this document answers. */
  form?: FormState | undefined
}

export const PAGE_STATE_ID = 'page-state'

let state: PageState | null = null

/** The state of this document; browser only. */
export function pageState(): PageState {
  if (state) return state
  const text = document.getElementById(PAGE_STATE_ID)?.textContent
  if (!text) throw new Error("This page has no state: the API didn't serve it.")
  state = JSON.parse(text) as PageState
  return state
}
