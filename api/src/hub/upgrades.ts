import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { AppError } from '@proctorpass/shared/errors'
import { SOCKET_PATH } from '@proctorpass/shared/paths'
import { answerError } from '../http/client-errors.ts'
import { isOwnOrigin, namesTwoHosts } from '../http/origin.ts'
import type { HubOptions } from './types.ts'

/** Refused upgrades and namespace connects that get a log line, for each code and minute; the others are counted. */
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
  /** Rejects with AppError. Refused upgrades count like requests too. */
  async function admit(request: IncomingMessage): Promise<void> {
    await limits.take('address', addressOf(request))
    if (isDraining()) {
      throw new AppError('unavailable', 'The server is restarting. Connect again.', {
        retryAfterMs: 2_000,
      })
    }
    if (namesTwoHosts(request)) throw new AppError('invalid-input', 'The request names two hosts.')
    const { origin, host } = request.headers
    // Without Origin it is no browser: no cookies or pages of a person are at risk, and a credential is needed anyway.
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
    // Other upgrades belong to Vite, in development.
    if (!request.url?.startsWith(`${SOCKET_PATH}/`)) return
    // Node has removed its error listener: without one, a connection that breaks now would end the process.
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
