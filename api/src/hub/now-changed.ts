import { NOW_THROTTLE_MS } from '@proctorpass/shared/limits'
import type { AdminNamespace } from './types.ts'

/**
 * Creates a function that emits `now:changed` to this node's admins: at once for the first change, and once for all
 * later changes within NOW_THROTTLE_MS. If `byThisNode` is true, the other nodes do not notice the change by themselves
 * and are notified.
 */
export function createNowChanged(admins: AdminNamespace, tellPeers: () => void) {
  let emittedAt = Number.NEGATIVE_INFINITY
  let isDue = false
  let mustTell = false

  function emit(): void {
    isDue = false
    emittedAt = performance.now()
    if (mustTell) tellPeers()
    mustTell = false
    admins.local.emit('now:changed')
  }

  return ({ byThisNode }: { byThisNode: boolean }): void => {
    mustTell ||= byThisNode
    if (isDue) return
    isDue = true
    setTimeout(emit, Math.max(0, emittedAt + NOW_THROTTLE_MS - performance.now())).unref()
  }
}
