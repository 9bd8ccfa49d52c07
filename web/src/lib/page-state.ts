import type { FrameSite } from '@proctorpass/shared/embed'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { ShownLanguages } from '@proctorpass/shared/schemas/language'
import type { FormState, RenderInput } from '@proctorpass/shared/ssr'
import type { HydrationState } from 'react-router'
import type { ShownHours } from './site-config.ts'

/** What the server writes into each page, as JSON outside the root element. */
export interface PageState {
  config: PublicConfig
  languages: ShownLanguages
  /** The prefix of the REST paths. */
  apiPrefix: string
  hours?: ShownHours | undefined
  hasCards?: RenderInput['hasCards']
  /** The results of the router's loaders. Null if the server rendered only the shell. */
  hydration: HydrationState | null
  /** The site in whose frame this page runs. */
  site?: FrameSite | undefined
  /** The result of the form whose submission this document answers. */
  form?: FormState | undefined
}

export const PAGE_STATE_ID = 'page-state'

let state: PageState | null = null

/** Returns this document's state. It exists only in the browser. */
export function pageState(): PageState {
  if (state) return state
  const text = document.getElementById(PAGE_STATE_ID)?.textContent
  if (!text) throw new Error("This page has no state: the API didn't serve it.")
  state = JSON.parse(text) as PageState
  return state
}
