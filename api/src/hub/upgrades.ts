import type { Server as HttpServer, IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { SOCKET_PATH } from '@proctorpass/shared/paths'
import { answerError } from '../http/client-errors.ts'

type UpgradeListener = (request: IncomingMessage, socket: Duplex, head: Buffer) => void

/**
 * Decides about upgrades before Engine.IO sees them: it counts nothing, and has one status for all refusals. `admit`
 * rejects with AppError.
 */
export function guardUpgrades(server: HttpServer, admit: (request: IncomingMessage) => Promise<void>): void {
  const listeners = server.listeners('upgrade') as UpgradeListener[]
  server.removeAllListeners('upgrade')
  server.on('upgrade', (request, socket, head) => {
    // In development, Vite's own.
    if (!request.url?.startsWith(`${SOCKET_PATH}/`)) return
    // Node has taken its listeners off: without one, a connection that breaks now would end the process.
    const destroy = () => socket.destroy()
    socket.on('error', destroy)
    admit(request).then(
      () => {
        socket.off('error', destroy)
        if (socket.destroyed) return
        for (const listener of listeners) listener.call(server, request, socket, head)
      },
      (error) => answerError(socket, error),
    )
  })
}
