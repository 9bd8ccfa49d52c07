import type { Env } from '../env/env.ts'
import type { TypedApp } from '../http/validation.ts'
import { accountRoutes } from './account-routes.ts'
import type { Auth } from './auth.ts'
import { createAuthCookies } from './auth-cookies.ts'
import { authRoutes } from './auth-routes.ts'
import type { ConfirmSession } from './confirmation.ts'
import { confirmationRoutes } from './confirmation-routes.ts'
import { faceRoutes } from './face-routes.ts'
import type { Faces } from './faces.ts'
import { factorRoutes } from './factor-routes.ts'
import { factorSignInRoutes } from './factor-sign-in-routes.ts'
import type { OwnFactors } from './factors.ts'
import { keyRoutes } from './key-routes.ts'
import type { Keys } from './keys.ts'
import type { OwnAccount } from './own-account.ts'
import type { OwnPasskeys } from './own-passkeys.ts'
import { passkeyRoutes } from './passkey-routes.ts'
import type { TeamUseCases } from './team.ts'
import { teamRoutes } from './team-routes.ts'

interface PluginOptions {
  auth: Auth
  confirm: ConfirmSession
  account: OwnAccount
  faces: Faces
  factors: OwnFactors
  passkeys: OwnPasskeys
  team: TeamUseCases
  keys: Keys
  env: Env
}

export async function authPlugin(api: TypedApp, options: PluginOptions): Promise<void> {
  const { auth, confirm, account, faces, factors, passkeys, team, keys, env } = options
  // The log has only the number of sessions, because a session's ID is half of what ends it.
  auth.sessions.onEnded((sids, userId) => api.log.info({ userId, count: sids.length }, 'sessions ended'))
  const cookies = createAuthCookies(api, { auth, env })
  authRoutes(api, { auth, team, cookies })
  factorSignInRoutes(api, { auth, cookies })
  confirmationRoutes(api, { confirm, cookies })
  if (env.jwtSecretPrevious !== undefined) api.addHook('onReady', () => factors.sealAgain())
  accountRoutes(api, { account })
  // Forms have their own scope.
  await api.register(async (scope) => faceRoutes(scope, { faces }))
  factorRoutes(api, { factors })
  passkeyRoutes(api, { passkeys })
  teamRoutes(api, { team })
  keyRoutes(api, { keys })
}
