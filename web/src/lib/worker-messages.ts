import type { PushPayload } from '@proctorpass/shared/schemas/push'

/** The script, which the build puts at the root, so that its scope is the whole site. */
export const WORKER_PATH = '/sw.js'

/** From a tab to the service worker: show this. */
export interface ShowRequest {
  kind: 'show'
  payload: PushPayload
}

/** From the service worker to the tabs. */
export type WorkerMessage =
  /** Are you a dashboard? Answered with the path of the page, by the port of the message. */
  | { kind: 'where' }
  /** A notification was clicked: go to this path. */
  | { kind: 'open'; path: string }
  /** A pushed notification was shown. */
  | { kind: 'shown'; id: string }
  | { kind: 'subscription-changed' }
