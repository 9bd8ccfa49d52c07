import { setTimeout as pause } from 'node:timers/promises'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import { restOf } from '../../../web/src/chat/engine/testing/people.ts'
import { untilAnswered } from '../chat-client.ts'
import { isSame, type Ledger } from './ledger.ts'
import type { BadNetwork } from './network-faults.ts'
import type { Person } from './people.ts'
import type { readByRest } from './read-back.ts'
import type { View } from './view.ts'

/** Lets visitors send files and ratings. */
export async function allowFilesAndRatings(origin: string, accessToken: string): Promise<void> {
  const { request } = restOf(origin, accessToken)
  await untilAnswered(async () => {
    const settings = await request<Settings>(adminPaths.settings)
    await request(adminPaths.settings, { method: 'PUT', body: { ...settings, files: true, rating: true } })
  })
}

/**
 * Runs `kill` once a file was uploaded, before its message is sent; on a machine that is too slow for that, in any case.
 * That one kill fell there is checked at the end.
 */
export async function betweenUploadAndMessage<T>(ledger: Ledger, kill: () => Promise<T>): Promise<T> {
  const { reached, release } = ledger.holdUpload()
  // A run that has failed waits for nothing more.
  const waitMs = ledger.violations.length === 0 ? STUCK_MS : 0
  await Promise.race([reached, pause(waitMs, undefined, { ref: false })])
  try {
    return await kill()
  } finally {
    release()
  }
}

type ReadBack = Awaited<ReturnType<typeof readByRest>>

/** A slow machine may take its time, but something must move. */
const STUCK_MS = 60_000
/** Of what is stuck. */
const DESCRIBED_MAX = 3
/** Violations: the end of the output, which `npm test` repeats, has all of these. */
const LISTED_MAX = 10
/** Longer than the close of a connection needs to reach its client. */
const CLOSE_MS = 300

/** On a good network: lets the engines send what waits, and show everything that `read` finds in the store. */
export async function settle(
  people: Person[],
  networks: BadNetwork[],
  ledger: Ledger,
  read: () => Promise<ReadBack>,
): Promise<void> {
  await Promise.all(people.map((person) => person.endWriting()))
  // Other snoozes end a day or more after they were chosen, which is longer than a test takes.
  const endsLate = Date.now() + 12 * 3_600_000
  for (const network of networks) network.repair()
  await pause(CLOSE_MS)
  for (const person of people) person.wake()
  const views = () => people.flatMap((person) => [...person.views])
  await untilNone(ledger, 'outboxes are not empty', () => {
    for (const view of views()) {
      view.resolveHeld(() => true)
      view.resendRefused()
    }
    return views()
      .filter((view) => view.pending > 0)
      .map(String)
  })
  await untilNone(ledger, 'scheduled messages wait', async () => {
    const { scheduled } = ledger.scheduling > 0 ? { scheduled: [ledger.scheduling] } : await read()
    return scheduled.map((each) => JSON.stringify(each))
  })
  const { conversations } = await read()
  await untilNone(ledger, 'conversations are not shown whole, or their read marks did not arrive', () => {
    // An admin's list may show one only now.
    for (const person of people) person.openAll()
    const behind = views().filter((view) => !view.shows(storedOf(view, conversations)))
    for (const { conversation } of behind) conversation.loadOlder().catch(() => {})
    return behind.map((view) => `${view} of ${storedOf(view, conversations).length} stored`)
  })
  await Promise.all(people.map((person) => person.stop()))
  await untilNone(ledger, 'snoozes have not ended', async () => {
    const { summaries } = await read()
    return summaries.flatMap(({ clientId, snoozedUntil }) =>
      snoozedUntil && Date.parse(snoozedUntil) < endsLate ? [`${clientId} until ${snoozedUntil}`] : [],
    )
  })
  for (const network of networks) network.close()
  const unacknowledged = ledger.typed.filter(
    ({ nonce, wasDiscarded }) => !wasDiscarded && !ledger.acknowledged.has(nonce),
  )
  if (unacknowledged.length > 0) {
    ledger.violation(
      `${unacknowledged.length} messages were never acknowledged: ${unacknowledged[0]?.message}`,
    )
  }
}

/** Each kind of fault must have happened. */
export function checkFaults(ledger: Ledger): void {
  if (ledger.counts.foreign === 0) ledger.violation('no gateway answered')
  if (ledger.counts.factsPushed === 0) ledger.violation('nothing was pushed')
  if (ledger.counts.killedBetween === 0) ledger.violation('no kill fell between an upload and its message')
}

const storedOf = ({ clientId }: View, conversations: ReadBack['conversations']) =>
  conversations.get(clientId)?.messages ?? []

/** `find` describes those that are left. */
async function untilNone(
  ledger: Ledger,
  what: string,
  find: () => string[] | Promise<string[]>,
): Promise<void> {
  let left: string[] | null = null
  for (let movedAt = performance.now(); performance.now() - movedAt < STUCK_MS; ) {
    const now = await find()
    if (now.length === 0) return
    if (now.length !== left?.length) movedAt = performance.now()
    left = now
    await pause(50)
  }
  const described = left?.slice(0, DESCRIBED_MAX).join('; ')
  ledger.violation(
    `on a good network ${left?.length} ${what}, and nothing has moved for ${STUCK_MS} ms: ${described}`,
  )
}

/** Every view must match the store. */
export function checkViews(people: Person[], { conversations }: ReadBack, ledger: Ledger): void {
  for (const person of people) {
    for (const { clientId, messages } of person.views) {
      const stored = conversations.get(clientId)?.messages ?? []
      const isWhole = stored.every((message, place) => {
        const shown = messages[place]
        return shown !== undefined && isSame(message, shown) && shown.edit === message.edit
      })
      if (!isWhole || messages.length !== stored.length) {
        ledger.violation(
          `${person.browser} shows ${messages.length} messages of ${stored.length} that are stored`,
        )
      }
    }
  }
}

/** The rows of the report that both tests have. */
export function countRows({
  typed,
  acknowledged,
  files,
  notes,
  acknowledgedNotes,
  changes,
  edits,
  ratings,
  counts,
}: Ledger): [what: string, count: number][] {
  return [
    ['messages typed', typed.length],
    ['acknowledged', acknowledged.size],
    ['connections', counts.connections],
    ['cut', counts.cut],
    ['gone deaf (acknowledgements dropped)', counts.deaf],
    ['half-closed', counts.halfClosed],
    ['slow', counts.slow],
    ['answered by a gateway or a cache', counts.foreign],
    ['reloads', counts.reloads],
    ['messages in the outbox after a reload', counts.survived],
    ['messages sent by REST, repeats included', counts.restSends],
    ['sent twice at once', counts.doubled],
    ['sent again long after', counts.late],
    ['REST calls without an answer', counts.unanswered],
    ['held replies sent after all', counts.held],
    ['held replies discarded', counts.discarded],
    ['messages typed with a status', counts.withStatus],
    ['corrections sent', edits.size],
    ['changes of conversations sent', counts.changes],
    ['refused as stale', changes.filter(({ answer }) => answer === 'stale').length],
    ['ratings sent', ratings.size],
    ['ratings acknowledged', [...ratings.values()].filter(({ isStored }) => isStored).length],
    ['files typed', files.size],
    ['uploads sent, repeats included', counts.uploads],
    ['files uploaded at a kill, their message not stored', counts.killedBetween],
    ['notes sent', notes.size],
    ['notes acknowledged', acknowledgedNotes.size],
    ['facts pushed', counts.factsPushed],
    ['facts dropped, doubled or reordered', counts.factsDisturbed],
  ]
}

/** Prints the counts, and the violations if there are any: then the process fails. */
export function report(rows: [what: string, count: number][], ledger: Ledger, seed: number): void {
  for (const [what, count] of rows) console.log(`${String(count).padStart(8)}  ${what}`)
  const { violations } = ledger
  console.log(`${String(violations.length).padStart(8)}  violations`)
  if (violations.length === 0) return
  console.error(`\nViolations (seed ${seed}):`)
  for (const violation of violations.slice(0, LISTED_MAX)) console.error(`- ${violation}`)
  if (violations.length > LISTED_MAX) console.error(`- and ${violations.length - LISTED_MAX} more`)
  process.exitCode = 1
}
