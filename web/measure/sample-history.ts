import type { Storage } from '../../api/src/storage/model/storage.ts'
import { openStores } from '../../api/src/storage/open-storage.ts'
import { createRandom, type Random } from '../../api/test/faults/random.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Of the report, and as many before it. */
const DAYS = 56
/** Conversations that begin by hour of a working day. */
const BY_HOUR = [
  0, 0, 0, 0, 0, 0, 0.2, 0.5, 0.9, 1.3, 1.4, 1.2, 0.9, 1, 1.3, 1.5, 1.4, 1.6, 2, 1.8, 1.1, 0.6, 0.3, 0.1,
]
const LABELS = ['Camera', 'Exam today', 'Refund', 'Room scan', 'ID', 'Rescheduling']

/** Fills the store of a stopped server with resolved conversations of the eight weeks before today, the same on each day. */
export async function fillSampleHistory(dataDir: string, now: number): Promise<void> {
  const { storage } = await openStores({ dataDir })
  const users = await storage.users.list()
  const admins = users.filter(({ inviteHash }) => inviteHash === null).map(({ _id }) => _id)
  const random = createRandom(1, 'history')
  const today = Math.floor(now / DAY) * DAY
  for (let day = DAYS; day >= 0; day--) {
    const date = today - day * DAY
    const weekday = new Date(date).getUTCDay()
    const share = weekday === 0 ? 0.3 : weekday === 6 ? 0.5 : 1
    const begun: Promise<void>[] = []
    for (const [hour, mean] of BY_HOUR.entries()) {
      for (let left = mean * share; left > 0; left--) {
        const at = date + hour * HOUR + random.integer(0, 59) * MINUTE
        if (!random.chance(Math.min(1, left)) || at > now - HOUR) continue
        begun.push(add(storage, random, { clientId: idOf(day, begun.length), at, admins, weekday, hour }))
      }
    }
    await Promise.all(begun)
  }
  await storage.close()
}

interface Conversation {
  clientId: string
  at: number
  admins: string[]
  weekday: number
  hour: number
}

/** Decides all at once, so that no other conversation shifts it. */
function add(
  storage: Storage,
  random: Random,
  { clientId, at, admins, weekday, hour }: Conversation,
): Promise<void> {
  const isBusy = hour >= 18 || (weekday === 2 && hour >= 17)
  const wait = Math.round((isBusy ? 9 : 3) * MINUTE * Math.exp(1.6 * random.next()))
  const admin = random.pick(admins)
  const isMissed = random.chance(isBusy ? 0.06 : 0.01)
  const words = Array.from({ length: random.integer(1, 4) }, () => random.integer(2, 9) * MINUTE)
  const labels = random.chance(0.8) ? [random.pick(LABELS)] : []
  const score = random.chance(0.4) ? random.pick([5, 5, 5, 4, 4, 3, 2]) : null
  return (async () => {
    let end = at
    let count = 0
    const say = (senderId: string, message: string) =>
      storage.messages.append({
        clientId,
        senderId,
        message,
        at: end,
        nonce: `history-${clientId}-${++count}`,
      })
    await say(clientId, 'Hello, I have a question about my exam.')
    if (isMissed) end += 2 * HOUR
    else {
      end += wait
      await say(admin, 'Hello, how can I help?')
      for (const [index, pause] of words.entries()) {
        end += pause
        await say(index % 2 === 0 ? clientId : admin, 'A part of a conversation.')
      }
      if (words.length % 2 === 1) {
        end += 2 * MINUTE
        await say(admin, 'You are welcome.')
      }
      end += 3 * MINUTE
      await storage.conversations.markRead(clientId, 'admin', Number.MAX_SAFE_INTEGER)
    }
    await storage.inbox.change(clientId, { status: 'resolved', labels }, { by: admin, at: end })
    if (score === null || isMissed) return
    await storage.inbox.rate(clientId, { score, words: null }, { at: end + MINUTE, keyHash: null })
  })()
}

function idOf(day: number, index: number): string {
  return `Sample${String(day).padStart(7, '0')}${String(index).padStart(7, '0')}`
}
