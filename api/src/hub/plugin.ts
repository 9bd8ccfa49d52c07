import type { FastifyInstance } from 'fastify'
import type { Auth } from '../auth/auth.ts'
import type { TeamUseCases } from '../auth/team.ts'
import type { Env } from '../env/env.ts'
import { clientAddress, type Trust } from '../http/client-address.ts'
import { networkOf } from '../limits/networks.ts'
import { type Hub, openHub } from './hub.ts'
import type { HubOptions } from './types.ts'

interface PluginOptions
  extends Pick<HubOptions, 'chat' | 'limits' | 'nowChanges' | 'refusals' | 'observer' | 'redis'> {
  env: Env
  trust: Trust
  auth: Auth
  team: Pick<TeamUseCases, 'followPresence'>
}

/**
 * Opens the hub. Call this once requests are authenticated, and before anything that wraps the HTTP server's listeners.
 */
export function hubPlugin(app: FastifyInstance, options: PluginOptions): Hub {
  const { env, trust, auth, team, chat, limits, nowChanges, refusals, observer, redis } = options
  const hub = openHub({
    ...{ chat, limits, nowChanges, refusals, observer, redis },
    server: app.server,
    auth: {
      verifyAccess: app.verifyAccess,
      isAdminSession: auth.sessions.isAdminSession,
      onSessionsEnded: auth.sessions.onEnded,
    },
    transport: env.chatTransport,
    publicUrl: env.publicUrl,
    rateLimits: env.rateLimits,
    addressOf: (request) => networkOf(clientAddress(request, trust)),
    log: app.log,
  })
  if (env.chatTransport === 'push') team.followPresence(hub.isAdminOnline)
  // Open sockets would block closing the server.
  app.addHook('preClose', async () => hub.drain())
  return hub
}
