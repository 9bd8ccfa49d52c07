import { sessionRoom } from './rooms.ts'
import type { AdminNamespace, HubOptions } from './types.ts'

/** How often an open socket's session is checked again. */
const RECHECK_MS = 15_000

/**
 * Disconnects admins whose session has ended. A valid session outlives the token with which the socket connected. Nodes
 * announce the sessions that they end. `npm run admin` cannot, so each socket's session is also rechecked.
 */
export function closeEndedSessions(
  admins: AdminNamespace,
  { auth, log, redis }: Pick<HubOptions, 'auth' | 'log' | 'redis'>,
): void {
  auth.onSessionsEnded((sids) => {
    const rooms = sids.map(sessionRoom)
    admins.local.in(rooms).disconnectSockets(true)
    if (redis !== null) admins.in(rooms).disconnectSockets(true)
  })
  admins.on('connection', (socket) => {
    const { sid, userId } = socket.data.caller
    const recheck = async () => {
      try {
        if (!(await auth.isAdminSession(sid, userId))) socket.disconnect(true)
      } catch (error) {
        log.error({ err: error }, 'session recheck failed')
      }
    }
    const timer = setInterval(recheck, RECHECK_MS).unref()
    socket.on('disconnect', () => clearInterval(timer))
  })
}
