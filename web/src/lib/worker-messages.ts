import type { PushPayload } from '@proctorpass/shared/schemas/push'

/** The script's path. The build puts the script at the root, so that its scope is the whole site. */
export const WORKER_PATH = '/sw.js'

/** A tab asks the service worker to show this notification. */
export interface ShowRequest {
  kind: 'show'
  payload: PushPayload
}

/** What the service worker sends to the tabs. */
export type WorkerMessage =
  /** Asks whether the tab is a dashboard. The tab answers through the message's port with the page's path. */
  | { kind: 'where' }
  /** A notification was clicked, and the tab must go to this path. */
  | { kind: 'open'; path: string }
  /** A pushed notification was shown. */
  | { kind: 'shown'; id: string }
  | { kind: 'subscription-changed' }
