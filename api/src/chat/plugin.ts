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
  /** Milliseconds between two searches for due snoozes. */
  lookEveryMs: number
}

export async function chatPlugin(api: TypedApp, options: PluginOptions): Promise<void> {
  const { chat, attachments, limits, apiPrefix, startRetention, lookEveryMs } = options
  api.addHook('onReady', async () => startRetention())
  endSnoozes(api, chat, lookEveryMs)
  visitorRoutes(api, { chat, limits })
  // The attachment routes have a scope of their own, which accepts multipart forms.
  await api.register(async (scope) => attachmentRoutes(scope, { attachments, limits }))
  chatRoutes(api, { chat, limits, apiPrefix })
}

/** Ends due snoozes. They are in the store, so every node looks for them, and none of the nodes is needed. */
function endSnoozes(api: TypedApp, chat: Chat, lookEveryMs: number): void {
  let running = false
  const timer = setInterval(async () => {
    if (running || !api.accepting) return
    running = true
    // The store's own calls log its outage.
    await chat.inbox.endDueSnoozes().catch(() => {})
    running = false
  }, lookEveryMs).unref()
  api.addHook('onClose', async () => clearInterval(timer))
}
