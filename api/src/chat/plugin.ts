import type { TypedApp } from '../http/validation.ts'
import type { Limits } from '../limits/limits.ts'
import { attachmentRoutes } from './attachment-routes.ts'
import type { Attachments } from './attachments.ts'
import type { Chat } from './chat.ts'
import { chatRoutes } from './chat-routes.ts'
import { visitorRoutes } from './visitor-routes.ts'

interface PluginOptions {
  chat: Chat
  attachments: Attachments
  limits: Limits
  apiPrefix: string
  /** Starts the retention job, see `createRetention`. */
  startRetention: () => void
  /** Milliseconds between two looks at what is due. */
  lookEveryMs: number
}

export async function chatPlugin(api: TypedApp, options: PluginOptions): Promise<void> {
  const { chat, attachments, limits, apiPrefix, startRetention, lookEveryMs } = options
  api.addHook('onReady', async () => startRetention())
  doAgain(api, () => chat.inbox.endDueSnoozes(), lookEveryMs)
  doAgain(api, () => chat.scheduled.sendDue(), lookEveryMs)
  visitorRoutes(api, { chat, limits })
  // The attachment routes have a scope of their own, which accepts multipart forms.
  await api.register(async (scope) => attachmentRoutes(scope, { attachments, limits }))
  chatRoutes(api, { chat, limits, apiPrefix })
}

/**
 * Does what is due, again and again. Due snoozes and messages are in the store, so every node looks for them, and none of
 * the nodes is needed.
 */
function doAgain(api: TypedApp, run: () => Promise<void>, lookEveryMs: number): void {
  let running: Promise<void> | null = null
  const timer = setInterval(() => {
    if (running !== null || !api.accepting) return
    // The store's own calls log its outage.
    running = run()
      .catch(() => {})
      .finally(() => {
        running = null
      })
  }, lookEveryMs).unref()
  api.addHook('onClose', async () => {
    clearInterval(timer)
    await running
  })
}
