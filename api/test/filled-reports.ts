import type { Storage } from '../src/storage/port/storage.ts'
import { createRandom } from './faults/random.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS

/** Stores conversations of `days` up to `now`, by day and hour as they are usual, about `perDay` on a weekday. */
export async function fillReports(
  storage: Storage,
  { now, days, perDay, admins }: { now: number; days: number; perDay: number; admins: readonly string[] },
): Promise<void> {
  const random = createRandom(7, 'reports')
  let number = 0
  for (let day = days; day > 0; day--) {
    const midnight = Math.floor((now - day * DAY_MS) / DAY_MS) * DAY_MS
    const isWeekend = [0, 6].includes(new Date(midnight).getUTCDay())
    const count = Math.round(perDay * (isWeekend ? 0.4 : 1) * (0.6 + 0.8 * random.next()))
    for (let n = 0; n < count; n++) {
      number += 1
      const clientId = `Report${String(number).padStart(14, '0')}`
      const hour = random.pick([8, 9, 9, 10, 11, 13, 14, 15, 16, 18, 19, 19, 20, 22])
      let at = midnight + (hour * 60 + random.integer(0, 59)) * MINUTE_MS
      const say = (senderId: string, message: string) =>
        storage.messages.append({
          clientId,
          senderId,
          message,
          nonce: `nonce-${number}-${at}-${senderId.slice(0, 4)}`,
          at,
        })
      for (let turn = random.integer(1, 4); turn > 0; turn--) {
        await say(clientId, 'Does the camera need a driver?')
        at += random.integer(1, hour > 17 ? 90 : 20) * MINUTE_MS
        if (random.chance(0.07)) break
        await say(random.pick(admins), 'No, it works without one.')
        at += random.integer(1, 30) * MINUTE_MS
      }
      const labels = random.pick([[], ['Camera'], ['Refund'], ['Camera', 'Exam day']])
      if (random.chance(0.8)) {
        await storage.inbox.change(clientId, { status: 'resolved', labels }, { by: admins[0] ?? null, at })
        if (random.chance(0.3)) {
          await storage.inbox.rate(
            clientId,
            { score: random.pick([3, 4, 5, 5]), words: null },
            { at, keyHash: null },
          )
        }
      }
    }
  }
}
