import type { TypedApp } from '../http/validation.ts'
import { eventRoutes } from './event-routes.ts'
import type { Events } from './events.ts'

const PRUNE_EVERY_MS = 60 * 60 * 1_000

export function eventsPlugin(api: TypedApp, { events }: { events: Events }): void {
  eventRoutes(api, { events })
  // A store that is away is logged by its own calls; the next hour covers it.
  const prune = () => void events.prune().catch(() => {})
  let timer: NodeJS.Timeout | undefined
  api.addHook('onReady', async () => {
    timer = setInterval(prune, PRUNE_EVERY_MS).unref()
  })
  api.addHook('onClose', async () => clearInterval(timer))
}
