import type { FastifyBaseLogger } from 'fastify'
import type { AdminNamespace, PeerEvents } from './types.ts'

/** Connects the nodes' events through the adapter's serverSideEmit. Without peers, nothing is sent or received. */
export function connectPeers(admins: AdminNamespace, hasPeers: boolean, log: FastifyBaseLogger) {
  return {
    emit<E extends keyof PeerEvents>(event: E, ...args: Parameters<PeerEvents[E]>): void {
      if (hasPeers) admins.serverSideEmit(event, ...args)
    },
    /**
     * Subscribes to an event. An event that cannot be handled comes from another release, and an exception here would
     * end the process.
     */
    on<E extends keyof PeerEvents>(event: E, listener: (...args: Parameters<PeerEvents[E]>) => void): void {
      if (!hasPeers) return
      const on = admins.on as (event: string, listener: (...args: Parameters<PeerEvents[E]>) => void) => void
      on.call(admins, event, (...args) => {
        try {
          listener(...args)
        } catch (error) {
          log.warn({ err: error, event }, "another node sent an event that this release can't handle")
        }
      })
    },
  }
}

export type Peers = ReturnType<typeof connectPeers>
