import { ADMIN_ROLE } from '@proctorpass/shared/schemas/auth'
import { expect, it, onTestFinished } from 'vitest'
import { newClientId } from '../../test/build-app.ts'
import type { JobRun } from '../jobs/jobs.ts'
import { newId } from '../storage/model/ids.ts'
import { openSqlite } from '../storage/sqlite/open-sqlite.ts'
import { alertJob, createAlerts } from './alerts.ts'
import { createPushToDevices } from './push-to-devices.ts'

it.each([
  [
    'ends while the run that waits for it is saved',
    [
      { pause: 1_000, jump: 0 },
      // Another conversation's push failed, so the device pauses again.
      { pause: 20, jump: 0 },
      { pause: 0, jump: 0 },
    ],
  ],
  [
    'begins in a run in which the clock is set back',
    [
      { pause: -500, jump: -2_000 },
      { pause: 0, jump: 0 },
    ],
  ],
])('pushes to a device whose pause %s', async (_what, runs) => {
  const storage = openSqlite(':memory:')
  onTestFinished(() => storage.close())
  let now = Date.UTC(2026, 10, 5)
  const clientId = newClientId()
  await storage.messages.append({ clientId, senderId: clientId, message: 'Hello', nonce: newId(), at: now })
  const user = await storage.users.create({
    ...{ userName: 'zoe', passwordHash: 'none', roles: [ADMIN_ROLE], createdAt: now },
  })
  const device = 'a'.repeat(43)
  const pauseFor = (ms: number) => storage.subscriptions.setRetryAt(device, now + ms)
  await storage.subscriptions.put(
    {
      ...{ _id: device, userId: user?._id ?? '', sessionId: newId(), endpoint: 'https://push.example/1' },
      ...{ p256dh: '', auth: '', label: 'phone', previews: false, createdAt: now, retryAt: 0 },
    },
    20,
  )
  let pushes = 0
  let jumpMs = 0
  const run = createAlerts({
    storage,
    now: () => now,
    pushToDevices: createPushToDevices({
      devices: storage.subscriptions,
      subscriptions: storage.subscriptions,
      async send() {
        pushes += 1
        return { outcome: 'sent' }
      },
      now: () => now,
    }),
    async escalation() {
      now += jumpMs
      jumpMs = 0
      return { afterSeconds: 60, thenMailMinutes: null }
    },
    isViewing: () => false,
    bounds: { mayRing: async () => true, mayMail: async () => true },
    scheduleSummary: async () => {},
    scheduleMail: null,
  })
  const job = alertJob(clientId, now, null)
  // Both stages are over after the first run, so only the failed push is left.
  now = job.dueAt + 60_000
  for (const { pause, jump } of runs) {
    await pauseFor(pause)
    jumpMs = jump
    const save = async () => {
      now += 50
    }
    const next = await run({ job, now, save } as unknown as JobRun)
    job.data = next?.data
    now = Math.max(now, next?.dueAt ?? 0)
  }
  expect(pushes).toBe(1)
})
