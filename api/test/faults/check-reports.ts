import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { REPORT_PAGE_MAX } from '@proctorpass/shared/limits'
import type { Report, ReportConversations } from '@proctorpass/shared/schemas/report'
import type { ReportHistory } from '../../src/storage/model/reports/report-parts.ts'
import { API_PREFIX, signInWhenReady, untilAnswered } from '../chat-client.ts'
import { type Recount, recount } from '../report-recount.ts'
import { ERASED_FIGURES } from './erased-conversation.ts'
import type { Ledger } from './ledger.ts'
import type { readByRest } from './read-back.ts'

type ReadBack = Awaited<ReturnType<typeof readByRest>>

/** Figures are derived within seconds; a busy machine is slower. */
const WITHIN_MS = 120_000
const POLL_MS = 2_000
const ANSWER_MS = 20_000
const DAY_MS = 24 * 60 * 60_000

/**
 * The reports of each node are a recount of what was read back, and of what stays of erased conversations: nothing that a
 * process had in memory when it was killed is missing, and nothing counts twice. Answers how many episodes there are.
 */
export async function checkReports(
  ledger: Ledger,
  origins: readonly string[],
  readBack: ReadBack,
  erased: number,
): Promise<number> {
  const now = Date.now()
  const dayAt = (time: number) => new Date(time).toISOString().slice(0, 10)
  const days = { from: dayAt(now - DAY_MS), to: dayAt(now + DAY_MS), zone: 'UTC' }
  const histories = historiesOf(readBack)
  const counts = countsOf(recount(histories, { ...days, time: 'clock', periods: [], now }))
  for (const [name, count] of Object.entries(ERASED_FIGURES)) {
    counts[name as keyof typeof counts] += count * erased
  }
  const episodes = episodesOf(histories)
  for (const origin of origins) {
    const { accessToken } = await signInWhenReady(origin)
    const get = <T>(path: string) =>
      untilAnswered(async () => {
        const answer = await fetch(origin + API_PREFIX + path, {
          headers: { authorization: `Bearer ${accessToken}` },
          signal: AbortSignal.timeout(ANSWER_MS),
        })
        if (!answer.ok) throw new Error(`GET ${path}: ${answer.status} ${await answer.text()}`)
        return (await answer.json()) as T
      })
    const query = new URLSearchParams(days)
    let found: unknown
    for (const since = performance.now(); performance.now() - since < WITHIN_MS; await pause(POLL_MS)) {
      found = totalsOf(await get<Report>(`${adminPaths.reports}?${query}`))
      if (isDeepStrictEqual(found, counts)) break
    }
    if (!isDeepStrictEqual(found, counts)) {
      ledger.violation(`a report says ${JSON.stringify(found)}, and a recount ${JSON.stringify(counts)}`)
    }

    const listed: string[] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const path = `${adminPaths.reportConversations}?${query}&kind=episodes&limit=${REPORT_PAGE_MAX}`
      const page: ReportConversations = await get(path + (cursor && `&cursor=${cursor}`))
      listed.push(...page.conversations.map(({ clientId, at }) => `${clientId} ${at}`))
      cursor = page.next
    }
    if (!isDeepStrictEqual(listed.sort(), episodes)) {
      ledger.violation(`the reports list the episodes ${listed}, and not ${episodes}`)
    }
  }
  return episodes.length
}

function historiesOf({ conversations, logs }: ReadBack): ReportHistory[] {
  return [...conversations].map(([clientId, { messages, page }]) => {
    const log = logs.get(clientId) ?? []
    const entries = log.flatMap(({ kind, data, afterSeq, at }): ReportHistory['entries'][number][] => {
      if (kind === 'rating') return [{ afterSeq, at: Date.parse(at), is: { score: data.score } }]
      if (kind === 'settled') return [{ afterSeq, at: Date.parse(at), is: data }]
      const isResolve = kind === 'status' && data.to === 'resolved'
      return isResolve ? [{ afterSeq, at: Date.parse(at), is: 'resolve' }] : []
    })
    const status = log.findLast(({ kind }) => kind === 'status')
    return {
      ...{ clientId, epoch: messages[0]?.epoch ?? '', seq: page.seq, n: log.length },
      group: { siteId: null, assigneeId: null, labels: [] },
      messages: messages.map(({ seq, senderId, createdAt }) => ({
        ...{ seq, senderId, createdAt: Date.parse(createdAt) },
      })),
      entries,
      isSpam: status?.kind === 'status' && status.data.to === 'spam',
    }
  })
}

const countsOf = ({ firstWait, wait, resolution, scores, heat, slow, senders, ...counts }: Recount) => ({
  ...counts,
  ...{ firstWait: firstWait.length, wait: wait.length, resolution: resolution.length },
  ratings: scores.length,
})

/** Each with its beginning. */
function episodesOf(histories: readonly ReportHistory[]): string[] {
  return histories
    .flatMap(({ clientId, messages, entries }) =>
      messages
        .filter(({ senderId }) => senderId === clientId)
        .filter(({ seq }, index, own) => {
          const before = own[index - 1]?.seq
          const isResolve = ({ afterSeq, is }: ReportHistory['entries'][number]) =>
            is === 'resolve' && before !== undefined && afterSeq >= before && afterSeq < seq
          return before === undefined || entries.some(isResolve)
        })
        .map(({ createdAt }) => `${clientId} ${new Date(createdAt).toISOString()}`),
    )
    .sort()
}

function totalsOf({ totals }: Report) {
  const { conversations, episodes, resolved, missed, messagesIn, messagesOut } = totals
  return {
    ...{ conversations, episodes, resolved, missed, messagesIn, messagesOut },
    ...{ firstWait: totals.firstWait.n, wait: totals.wait.n, resolution: totals.resolution.n },
    ratings: totals.ratings.n,
  }
}
