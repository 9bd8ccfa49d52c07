import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError } from '@proctorpass/shared/errors'
import { SOCKET_PATH } from '@proctorpass/shared/paths'
import { answerError } from '../http/client-errors.ts'
import { isOwnOrigin, namesTwoHosts } from '../http/origin.ts'
import type { HubOptions } from './types.ts'

/**
 * How many refused upgrades and namespace connects get a log line, for each code and minute. The others are only
 * counted.
 */
export const REFUSED_SOCKETS_LISTED = 1

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/**
 * Admits or refuses upgrades before Engine.IO sees them, because Engine.IO applies no limits and has one status for all
 * refusals.
 *
 * @see docs/decisions/0035-connections.md
 */
export function guardUpgrades(
  { server, limits, addressOf, publicUrl, log, refusals, observer }: HubOptions,
  isDraining: () => boolean,
): void {
  /** Rejects with an AppError. Refused upgrades count toward the limits, as requests do. */
  async function admit(request: IncomingMessage): Promise<void> {
    await limits.take('address', addressOf(request))
    if (isDraining()) {
      throw new AppError('unavailable', 'The server is restarting. Connect again.', {
        retryAfterMs: 2_000,
      })
    }
    if (namesTwoHosts(request)) throw new AppError('invalid-input', 'The request names two hosts.')
    const { origin, host } = request.headers
    // A client without Origin is no browser, so no person's cookies or pages are at risk, and it still needs a
    // credential.
    if (origin !== undefined && !isOwnOrigin(origin, host, publicUrl)) {
      throw new AppError('forbidden', "Pages from this origin can't connect.")
    }
  }

  function refuse(socket: Duplex, error: unknown): void {
    const code = error instanceof AppError ? error.code : 'internal'
    observer?.refused(code)
    if (refusals.mayList(`upgrade ${code}`, REFUSED_SOCKETS_LISTED)) {
      if (code === 'internal') log.error({ err: error }, 'upgrade failed')
      else log.info({ code }, 'upgrade refused')
    }
    answerError(socket, error)
  }

  const listeners = server.listeners('upgrade') as UpgradeListener[]
  server.removeAllListeners('upgrade')
  server.on('upgrade', (request, socket, head) => {
    // In development, other upgrades belong to Vite.
    if (!request.url?.startsWith(`${SOCKET_PATH}/`)) return
    // Node has removed its error listener. Without one, a connection that breaks now would end the process.
    const destroy = () => socket.destroy()
    socket.on('error', destroy)
    admit(request).then(
      () => {
        socket.off('error', destroy)
        if (socket.destroyed) return
        for (const listener of listeners) listener.call(server, request, socket, head)
      },
      (error) => refuse(socket, error),
    )
  })
}
