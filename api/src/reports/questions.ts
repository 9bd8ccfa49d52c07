import type { Answered } from '@proctorpass/shared/schemas/suggestion'
import type { ServerEntry } from '@proctorpass/shared/ssr'
import { QUARTER_MS } from '../storage/model/reports/report-parts.ts'
import type { Storage } from '../storage/model/storage.ts'
import { dayOf, firstQuarterOf, partOf, QUARTERS } from './day-figures.ts'
import type { Deriver } from './deriver.ts'

/** The most first messages that are searched, newest first. */
const QUESTIONS_MAX = 1_000
/** The most parts of conversations that are looked through to find first messages. */
const LOOK_THROUGH_MAX = 10_000
const PARTS_AT_ONCE = 250
const MESSAGES_AT_ONCE = 25
/** How many of a message's characters are searched, because a question stands at the beginning. */
const SEARCHED_CHARACTERS = 200
/** The search lets other work run after this time. */
const SLICE_MS = 5
/** The search ends after this much work, because strangers write the messages. 1,000 usual ones take a tenth of it. */
const SEARCH_MS = 1_500
/** A word from fewer first messages than this could lead to a conversation. */
const MESSAGES_MIN = 5
const WORDS_MAX = 30

interface Deps {
  storage: Pick<Storage, 'reports' | 'messages'>
  deriver: Pick<Deriver, 'settle'>
}

type Find = ReturnType<ServerEntry['missingWords']>

/**
 * Searches the newest first messages between two times as a visitor's browser searches what they type. Nothing is
 * stored, so an erased conversation no longer counts. One search runs at a time.
 */
export function createQuestions({ storage: { reports, messages }, deriver }: Deps) {
  let running: Promise<unknown> = Promise.resolve()

  /** Returns the conversations that began between these times, newest days first. */
  async function begunIn([start, end]: [number, number]): Promise<string[]> {
    const found: string[] = []
    const [first, until] = [Math.floor(start / QUARTER_MS), Math.ceil(end / QUARTER_MS)]
    const days = await reports.days(dayOf(first), Math.ceil((until - first) / QUARTERS) + 1)
    let left = LOOK_THROUGH_MAX
    for (const { day } of days.toReversed()) {
      const from = Math.max(first, firstQuarterOf(day))
      const to = Math.min(until, firstQuarterOf(day) + QUARTERS)
      const ofDay: string[] = []
      for (let offset = 0; from < to && left > 0; offset += PARTS_AT_ONCE) {
        const rows = await reports.parts(from, to, { offset, limit: PARTS_AT_ONCE })
        for (const row of rows) if (partOf(row).part.begins) ofDay.push(row.clientId)
        left -= rows.length
        await new Promise(setImmediate)
        if (rows.length < PARTS_AT_ONCE) break
      }
      found.push(...ofDay.toReversed())
      if (left <= 0 || found.length >= QUESTIONS_MAX) break
    }
    return found.slice(0, QUESTIONS_MAX)
  }

  /** Returns null if an admin began the conversation, or if it was erased in the meantime. */
  async function firstMessage(clientId: string): Promise<string | null> {
    const [first] = (await messages.page(clientId, { after: 0, limit: 1 }))?.messages ?? []
    return first?.seq === 1 && first.senderId === clientId ? first.message : null
  }

  async function search(between: [number, number], find: Find | null): Promise<Answered['questions']> {
    const isCurrent = await deriver.settle()
    const counts = { searched: 0, unanswered: 0 }
    const frequency = new Map<string, number>()
    const clientIds = find === null ? [] : await begunIn(between)
    let since = performance.now()
    let spent = 0
    for (let place = 0; place < clientIds.length && spent < SEARCH_MS; place += MESSAGES_AT_ONCE) {
      const texts = await Promise.all(clientIds.slice(place, place + MESSAGES_AT_ONCE).map(firstMessage))
      for (const text of texts) {
        if (text === null || find === null) continue
        if (performance.now() - since > SLICE_MS) {
          await new Promise(setImmediate)
          since = performance.now()
        }
        const began = performance.now()
        const words = find(text.slice(0, SEARCHED_CHARACTERS))
        spent += performance.now() - began
        counts.searched += 1
        if (words === null) continue
        counts.unanswered += 1
        for (const word of words) frequency.set(word, (frequency.get(word) ?? 0) + 1)
      }
    }
    const words = [...frequency]
      .filter(([, count]) => count >= MESSAGES_MIN)
      .map(([word, count]) => ({ word, messages: count }))
      .sort((a, b) => b.messages - a.messages || (a.word < b.word ? -1 : 1))
      .slice(0, WORDS_MAX)
    return { indexing: !isCurrent, ...counts, words }
  }

  return (between: [number, number], find: Find | null): Promise<Answered['questions']> => {
    const result = running.then(() => search(between, find))
    running = result.catch(() => {})
    return result
  }
}
