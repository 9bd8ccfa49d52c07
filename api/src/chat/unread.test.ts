import { UNREAD_THROTTLE_MS } from '@proctorpass/shared/limits'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { IGNORE_FACTS } from './listeners.ts'
import { createUnreadThrottle } from './unread.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Returns whom the throttle tells about, and a function that changes this many conversations. */
function throttled() {
  const told: string[] = []
  const changed = createUnreadThrottle(
    [{ ...IGNORE_FACTS, unreadChanged: ({ clientId }) => told.push(clientId) }],
    async () => 0,
  )
  return {
    told,
    change: (count: number) => {
      for (let index = 0; index < count; index += 1) changed(`conversation-${index}`, 1, true)
    },
  }
}

it.each([
  [1, UNREAD_THROTTLE_MS],
  [50, 500],
  [1_000, 1_000],
])('after %d counts, tells the next ones after %d ms', async (count, ms) => {
  const { told, change } = throttled()
  change(count)
  await vi.advanceTimersByTimeAsync(1)
  expect(told).toHaveLength(count)

  change(2)
  change(2)
  await vi.advanceTimersByTimeAsync(ms - 10)
  expect(told).toHaveLength(count)
  await vi.advanceTimersByTimeAsync(10)
  expect(told).toHaveLength(count + 2)
})
