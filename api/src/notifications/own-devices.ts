import { createHash, ECDH, randomUUID } from 'node:crypto'
import { AppError, type ErrorDetail, fieldError } from '@proctorpass/shared/errors'
import { checkFields } from '@proctorpass/shared/fields/check'
import { PUSH_LABEL_FIELD } from '@proctorpass/shared/fields/push'
import { PUSH_DEVICES_MAX, PUSH_ENDPOINT_MAX } from '@proctorpass/shared/limits'
import { testNotification } from '@proctorpass/shared/notification-text'
import type {
  PushDevice,
  PushDeviceList,
  PushKey,
  SubscribePush,
  TestedPush,
  TestPush,
  UnsubscribePush,
} from '@proctorpass/shared/schemas/push'
import { type AdminCaller, confirmRequired } from '../auth/caller.ts'
import type { Limits } from '../limits/limits.ts'
import { type AllowedHost, hostOf } from '../outbound/hosts.ts'
import type { SubscriptionRecord, SubscriptionRepository } from '../storage/model/subscriptions.ts'
import type { Devices } from './devices.ts'
import type { SendPush } from './push-service.ts'
import type { VapidKeys } from './vapid.ts'

interface OwnDevicesDeps {
  subscriptions: SubscriptionRepository
  devices: Devices
  hosts: readonly AllowedHost[]
  keys: () => Promise<VapidKeys>
  send: SendPush
  limits: Pick<Limits, 'take'>
  now: () => number
}

/** The use cases of admins for their own devices. */
export function createOwnDevices(deps: OwnDevicesDeps) {
  const { subscriptions, devices, hosts, keys, send, limits, now } = deps

  function shown(device: SubscriptionRecord, { sid }: AdminCaller): PushDevice {
    const { _id, label, previews, createdAt, sessionId } = device
    return { _id, label, previews, createdAt: new Date(createdAt).toISOString(), current: sessionId === sid }
  }

  async function ownOf({ userId }: AdminCaller, endpoint: string | undefined): Promise<SubscriptionRecord[]> {
    const own = await devices.listOf(userId)
    return endpoint === undefined ? own : own.filter(({ _id }) => _id === idOf(endpoint))
  }

  return {
    key: async (): Promise<PushKey> => ({ key: (await keys()).publicKey }),

    async list(admin: AdminCaller): Promise<PushDeviceList> {
      return { devices: (await devices.listOf(admin.userId)).map((device) => shown(device, admin)) }
    },

    /**
     * Registers the device until the session ends. Throws an AppError `invalid-input` with a detail for each wrong
     * field; `conflict` when the admin has PUSH_DEVICES_MAX devices; `confirm-required` for a device that would newly
     * show what visitors write.
     */
    async subscribe(
      admin: AdminCaller,
      { subscription, label, previews = false }: SubscribePush,
    ): Promise<{ device: PushDevice; created: boolean }> {
      const cleaned = checkFields({ label: PUSH_LABEL_FIELD }, { label }, problemsWith(subscription, hosts))
      await limits.take('push', admin.userId)
      const { userId, sid: sessionId } = admin
      // Subscriptions of ended sessions would count toward the maximum, so this call removes them.
      await devices.listOf(userId)
      const { endpoint, keys } = subscription
      // Otherwise the thief of a stolen session would receive what visitors write.
      if (previews && !admin.isConfirmed && !(await ownOf(admin, endpoint)).some((own) => own.previews))
        throw confirmRequired()
      const device: SubscriptionRecord = {
        ...{ _id: idOf(endpoint), userId, sessionId, endpoint, p256dh: keys.p256dh, auth: keys.auth },
        ...{ label: cleaned.label, previews, createdAt: now(), retryAt: 0 },
      }
      const outcome = await subscriptions.put(device, PUSH_DEVICES_MAX)
      if (outcome === 'full') {
        throw new AppError('conflict', `You can have up to ${PUSH_DEVICES_MAX} devices. Remove one first.`)
      }
      const [stored = device] = await ownOf(admin, endpoint)
      return { device: shown(stored, admin), created: outcome === 'created' }
    },

    /** Removes the device; does nothing if there is no such device. */
    async unsubscribe({ userId }: AdminCaller, { endpoint, _id }: UnsubscribePush): Promise<void> {
      const id = endpoint === undefined ? _id : idOf(endpoint)
      if (id === undefined) throw fieldError('endpoint', 'Name a device')
      const own = await subscriptions.listOf(userId)
      if (own.some((device) => device._id === id)) await subscriptions.remove(id)
    },

    /** Sends a test notification. Throws an AppError `not-found` if there is no such device. */
    async test(admin: AdminCaller, { endpoint, id = randomUUID() }: TestPush): Promise<TestedPush> {
      await limits.take('push', admin.userId)
      const own = await ownOf(admin, endpoint)
      if (own.length === 0) throw new AppError('not-found', "This device doesn't receive notifications.")
      const answers = await Promise.all(
        own.map(async (device) => {
          const { outcome } = await send(device, testNotification(id))
          if (outcome === 'gone') await subscriptions.remove(device._id)
          return outcome
        }),
      )
      const sent = answers.filter((outcome) => outcome === 'sent').length
      return { message: testMessage(answers), sent, failed: answers.length - sent }
    },
  }
}

export type OwnDevices = ReturnType<typeof createOwnDevices>

function idOf(endpoint: string): string {
  return createHash('sha256').update(endpoint).digest('base64url')
}

function testMessage(outcomes: readonly string[]): string {
  if (outcomes.every((outcome) => outcome === 'sent')) return 'Test sent'
  if (outcomes.includes('gone')) return 'This browser has unsubscribed. Turn notifications off and on again.'
  if (outcomes.includes('later')) return "The push service can't be reached right now. Try again later."
  return "The push service didn't accept the test."
}

function problemsWith(
  { endpoint, keys }: SubscribePush['subscription'],
  hosts: readonly AllowedHost[],
): ErrorDetail[] {
  const problems: ErrorDetail[] = []
  if (endpoint.length > PUSH_ENDPOINT_MAX) {
    problems.push({ field: 'subscription/endpoint', message: `Use ${PUSH_ENDPOINT_MAX} characters or fewer` })
  } else if (hostOf(endpoint, hosts) === null) {
    problems.push({ field: 'subscription/endpoint', message: 'Not an address of a known push service' })
  }
  if (!isPublicKey(keys.p256dh)) {
    problems.push({ field: 'subscription/keys/p256dh', message: 'Not a public key of P-256' })
  }
  if (!/^[A-Za-z0-9_-]{22}$/.test(keys.auth)) {
    problems.push({ field: 'subscription/keys/auth', message: 'Not 16 bytes as base64url' })
  }
  return problems
}

/** Whether the text is an uncompressed point on the curve, in base64url. */
function isPublicKey(text: string): boolean {
  if (!/^[A-Za-z0-9_-]{87}$/.test(text)) return false
  const bytes = Buffer.from(text, 'base64url')
  try {
    return bytes[0] === 4 && ECDH.convertKey(bytes, 'prime256v1').length > 0
  } catch {
    return false
  }
}
