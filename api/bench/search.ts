import { setTimeout as wait } from 'node:timers/promises'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { SearchPage } from '@proctorpass/shared/schemas/search'
import { API_PREFIX } from '../test/chat-client.ts'
import type { Benchmark, Comparison, Result } from './benchmark.ts'
import { fillWithCopies } from './copied-stores.ts'
import { compareGets, type SeededServer, withSeededServers } from './seeded-stores.ts'

const MESSAGES_EACH = 10
const LARGE = { conversations: 100_000 }
const SMALL = { conversations: 100 }
const QUICK = { conversations: 2_000 }
/** Messages with the rare word, in either store. */
const RARE = 20
const LIMIT_MS = 100

const WORDS = (
  'exam the camera before tomorrow my I to is and a not in proctor room refund please can you help screen ' +
  'black microphone browser time what it when start again identity card photo desk light phone table noise ' +
  'school account link password email book move another day price pay why how long extension secure'
).split(' ')
const CHINESE = '考试退款摄像头麦克风浏览器明天可以请问为什么时间照片证件房间屏幕密码账户'

/** The same texts with each run. The first words are the commonest. */
export function randomTexts(): () => string {
  let state = 1
  const random = () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
  const word = () => WORDS[Math.floor(WORDS.length ** random()) - 1] ?? 'exam'
  const character = () => CHINESE[Math.floor(random() * CHINESE.length)] ?? '考'
  return () =>
    random() < 0.2
      ? `${Array.from({ length: 12 }, character).join('')}考试退款`
      : Array.from({ length: 14 }, word).join(' ')
}

/** The server builds the index, as that of an older store. */
function fillTexts(dataDir: string, { conversations }: typeof LARGE): Promise<string> {
  const text = randomTexts()
  return fillWithCopies(dataDir, conversations, (clientId, index) => ({
    messages: Array.from({ length: MESSAGES_EACH }, (_, at) => ({
      senderId: clientId,
      createdAt: Date.UTC(2026, 0, 1) + index * 1_000 + at + 1,
      message: index < RARE && at === 0 ? `${text()} quetzal` : text(),
    })),
    chat: { visitorRead: 0, adminRead: 0, adminReadCount: 0 },
  }))
}

const pathOf = (q: string) => `${API_PREFIX}${adminPaths.search}?${new URLSearchParams({ q })}`

/** The seconds until the index is complete. */
export async function untilIndexed({
  server,
  token,
}: Pick<SeededServer, 'server' | 'token'>): Promise<number> {
  const from = performance.now()
  for (;;) {
    const answer = await fetch(server.origin + pathOf('exam'), {
      headers: { authorization: `Bearer ${token}` },
    })
    const page = (await answer.json()) as SearchPage
    if (answer.status === 200 && !page.indexing) return (performance.now() - from) / 1_000
    await wait(200)
  }
}

/** Searching a million messages: as fast as a thousand where it finds as much, and never slow. */
export const search: Benchmark = {
  name: 'search',
  run: ({ quick }) => {
    const size = quick ? QUICK : LARGE
    const count = (size.conversations * MESSAGES_EACH).toLocaleString('en')
    return withSeededServers(
      { large: size, small: SMALL },
      async (large, small) => {
        await untilIndexed(small)
        const seconds = await untilIndexed(large)
        const compare = (what: string, q: string, atMost?: number) =>
          compareGets(
            { quick, what, as: 'admin', rounds: quick ? 20 : 60, ...(atMost ? { atMost } : {}) },
            large,
            small,
            () => pathOf(q),
          )
        const typical = [
          await compare(`a common word, ${count} messages against 1,000`, 'exam', 1.5),
          await compare('a rare word', 'quetzal', 1.5),
          await compare('two characters of Chinese', '退款', 1.5),
          await compare('one letter', 'e', 1.5),
          await compare('the beginning of a common word', 'tomor', 1.5),
          await compare('two words', 'exam camera', 1.5),
          await compare('a phrase', '"the camera"', 1.5),
        ]
        const worst: [string, string][] = [
          ['a phrase that never occurs', '"quetzal exam the"'],
          ['a phrase of words that occur', '"secure extension long"'],
          ['a rare and a common word', 'quetzal e'],
          ['26 single letters', [...'abcdefghijklmnopqrstuvwxyz'].join(' ')],
          ['the beginning of a long word', 'identit'],
        ]
        const results: Result[] = [...typical]
        const slow: number[] = typical.flatMap(({ subject }) => subject)
        for (const [what, q] of worst) {
          const { aim: _, ...comparison }: Comparison = await compare(what, q)
          results.push(comparison)
          slow.push(...comparison.subject)
        }
        const slowest = Math.max(...slow)
        return [
          ...results,
          {
            kind: 'finding',
            what: `the slowest of these, ${count} messages`,
            value: `${slowest.toFixed(1)} ms`,
            aim: `< ${LIMIT_MS} ms`,
            met: slowest < LIMIT_MS,
          },
          {
            kind: 'figure',
            what: `building the index of ${count} messages`,
            value: `${seconds.toFixed(0)} s`,
            against: 'in the background',
          },
        ]
      },
      fillTexts,
    )
  },
}
