import type { PushPayload } from '@proctorpass/shared/schemas/push'

/** The script's path. The build puts the script at the root, so that its scope is the whole site. */
export const WORKER_PATH = '/sw.js'

/** What a tab asks of the service worker. */
export type WorkerRequest =
  | { kind: 'show'; payload: PushPayload }
  /** Without a tag, every notification is closed. */
  | { kind: 'close'; tag?: string }

/** What the service worker sends to the tabs. */
export type WorkerMessage =
  /** Asks whether the tab is a dashboard. The tab answers through the message's port with the page's path. */
  | { kind: 'where' }
  /** A notification was clicked, and the tab must go to this path. */
  | { kind: 'open'; path: string }
  /** A notification was shown. */
  | { kind: 'shown'; id: string }
  | { kind: 'subscription-changed' }
