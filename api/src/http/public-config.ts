import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { Env } from '../env/env.ts'

/** Returns the part of the environment that browsers need. */
export function publicConfig(env: Env): PublicConfig {
  return {
    brand: env.brand,
    supportEmail: env.supportEmail,
    contacts: env.contacts,
    chat: { transport: env.chatTransport, pollMs: env.chatPollMs, unreadPollMs: env.unreadPollMs },
    publicReviews: env.publicReviews,
  }
}
