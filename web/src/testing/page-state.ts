import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import { PAGE_STATE_ID, type PageState } from '../lib/page-state.ts'

/** Absolute, because Node's fetch has no base URL. */
export const API = 'http://localhost/api'

export const testConfig: PublicConfig = {
  brand: 'ProctorPass',
  supportEmail: 'support@proctorpass.example',
  contacts: { whatsapp: '+1 555 0100', discord: 'proctorpass', telegram: '@proctorpass' },
  chat: { transport: 'push', pollMs: 1_000, unreadPollMs: 5_000 },
  publicReviews: 'off',
}

export const testLanguages: PageState['languages'] = { revision: 'revision', tags: ['en', 'zh'] }

/** Adds the page state to the document. */
export function givePageState(state: Partial<PageState> = {}): void {
  const script = document.createElement('script')
  script.type = 'application/json'
  script.id = PAGE_STATE_ID
  script.textContent = JSON.stringify({
    ...{ config: testConfig, languages: testLanguages, apiPrefix: API, hydration: null },
    ...state,
  })
  document.body.append(script)
}
