import type { FastifyBaseLogger } from 'fastify'
import type { AdminNamespace, PeerEvents } from './types.ts'

/** Events between the nodes, through the adapter's serverSideEmit; without peers nothing is sent or received. */
export function connectPeers(admins: AdminNamespace, hasPeers: boolean, log: FastifyBaseLogger) {
  return {
    emit<E extends keyof PeerEvents>(event: E, ...args: Parameters<PeerEvents[E]>): void {
      if (hasPeers) admins.serverSideEmit(event, ...args)
    },
    /** An event that cannot be handled comes from another release: an exception here would end the process. */
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
