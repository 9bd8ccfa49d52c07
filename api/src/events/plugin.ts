import type { TypedApp } from '../http/validation.ts'
import { endpointRoutes } from './endpoint-routes.ts'
import { eventRoutes } from './event-routes.ts'
import type { Events } from './events.ts'
import type { Webhooks } from './webhooks.ts'

const PRUNE_EVERY_MS = 60 * 60 * 1_000

export function eventsPlugin(
  api: TypedApp,
  { events, webhooks }: { events: Events; webhooks: Webhooks },
): void {
  eventRoutes(api, { events })
  endpointRoutes(api, { endpoints: webhooks.endpoints })
  // The store's calls log an outage, and the next hour's run covers this one.
  const prune = () => void events.prune().catch(() => {})
  let timer: NodeJS.Timeout | undefined
  api.addHook('onReady', async () => {
    timer = setInterval(prune, PRUNE_EVERY_MS).unref()
    prune()
    webhooks.start(api.log)
  })
  // The deliveries end before the jobs close, because the jobs wait for running deliveries.
  api.addHook('preClose', async () => webhooks.stop())
  api.addHook('onClose', async () => clearInterval(timer))
}
