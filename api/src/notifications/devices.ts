import type { Sessions } from '../auth/sessions.ts'
import { type AllowedHost, hostOf } from '../outbound/hosts.ts'
import type { SubscriptionRecord, SubscriptionRepository } from '../storage/model/subscriptions.ts'

interface DevicesDeps {
  subscriptions: SubscriptionRepository
  sessions: Pick<Sessions, 'isAdminSession'>
  hosts: readonly AllowedHost[]
}

/** Reads the subscriptions of sessions that have not ended. */
export function createDevices({ subscriptions, sessions, hosts }: DevicesDeps) {
  return {
    /** Returns a user's subscriptions, newest first, and removes those whose session has ended. */
    async listOf(userId: string): Promise<SubscriptionRecord[]> {
      const stored = await subscriptions.listOf(userId)
      const alive = new Map<string, boolean>()
      for (const { sessionId } of stored) {
        if (!alive.has(sessionId)) alive.set(sessionId, await sessions.isAdminSession(sessionId, userId))
      }
      const ended = [...alive].filter(([, isAlive]) => !isAlive).map(([sessionId]) => sessionId)
      if (ended.length > 0) await subscriptions.removeOfSessions(ended)
      return stored.filter(
        ({ sessionId, endpoint }) => alive.get(sessionId) === true && hostOf(endpoint, hosts) !== null,
      )
    },
  }
}

export type Devices = ReturnType<typeof createDevices>
