import type { Report } from '@proctorpass/shared/schemas/report'
import type { Hours, Settings } from '@proctorpass/shared/schemas/settings'
import { expect, it, onTestFinished } from 'vitest'
import { buildTestApp, newClientId } from '../../test/build-app.ts'

const DAY = '2026-11-23'
const at = (time: string) => Date.parse(`${DAY}T${time}:00Z`)

it('counts the opening hours that were in force when a wait ended', async () => {
  let now = at('08:00')
  const test = await buildTestApp({ now: () => now, variables: { RATE_LIMITS: 'off' } })
  onTestFinished(() => test.close())
  const { bearer: headers } = await test.signIn()

  async function send(time: string, clientId: string, options: { headers?: typeof headers } = {}) {
    now = at(time)
    const answer = await test.call('POST', '/api/chat', {
      ...options,
      payload: { clientId, message: 'Hello' },
    })
    expect(answer.statusCode, answer.body).toBe(201)
  }
  const ask = (time: string, clientId: string) => send(time, clientId)
  const reply = (time: string, clientId: string) => send(time, clientId, { headers })
  async function openFrom(time: string, from: string, change: Partial<Settings> = {}) {
    now = at(time)
    const settings = (await test.call('GET', '/api/settings', { headers })).json() as Settings
    // DAY is a Monday.
    const hours: Hours = { timeZone: 'UTC', spans: [{ day: 1, from, to: '18:00' }], closed: [] }
    const payload = { ...settings, ...change, hours }
    const answer = await test.call('PUT', '/api/settings', { headers, payload })
    expect(answer.statusCode, answer.body).toBe(200)
  }
  /** In hours. */
  async function waits(time: 'clock' | 'open'): Promise<(number | null)[]> {
    const query = new URLSearchParams({ from: DAY, to: DAY, zone: 'UTC', time })
    for (;;) {
      const report = (await test.call('GET', `/api/reports?${query}`, { headers })).json() as Report
      const { n, median, p90 } = report.totals.wait
      if (!report.indexing)
        return [n, ...[median, p90].map((seconds) => seconds && Math.round(seconds / 3_600))]
    }
  }

  const [first, second, third] = [newClientId(), newClientId(), newClientId()]
  await ask('08:00', first)
  // Always open until then.
  await reply('09:00', first)
  await openFrom('10:00', '11:00')
  await ask('10:00', second)
  await reply('13:00', second)
  // Another setting is no other period.
  await openFrom('13:30', '11:00', { rating: false })
  await ask('14:00', third)
  // This wait ends after the change, which says that they open at 16:00.
  await openFrom('15:00', '16:00')
  await reply('17:00', third)

  const stored = await test.storage.documents.read<{ hoursHistory: { since: number }[] }>('settings')
  expect(stored?.value.hoursHistory.map(({ since }) => since)).toEqual([0, at('10:00'), at('15:00')])
  expect(await waits('clock')).toEqual([3, 3, 3])
  // One, two and one hours.
  expect(await waits('open')).toEqual([3, 1, 2])
})
