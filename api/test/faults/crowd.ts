import { setTimeout as pause } from 'node:timers/promises'
import { isSame, type Ledger } from './ledger.ts'
import type { Person } from './people.ts'
import type { readByRest } from './read-back.ts'

/** A slow machine may take its time, but something must move. */
const STUCK_MS = 60_000

/** Lets everybody say what they have to say, and read what there is. */
export async function bringHome(people: Person[], ledger: Ledger): Promise<void> {
  for (const person of people) person.stopWriting()
  await settle(people, ledger)
  await Promise.all(people.map((person) => catchUp(person, ledger)))
  await Promise.all(people.map((person) => person.stop()))
  const unacknowledged = ledger.typed.filter(({ nonce }) => !ledger.acknowledged.has(nonce))
  if (unacknowledged.length > 0) ledger.violation(`${unacknowledged.length} messages were never acknowledged`)
  if (ledger.counts.factsHeard === 0) ledger.violation('nothing was pushed')
}

async function settle(people: Person[], ledger: Ledger): Promise<void> {
  let left = Number.POSITIVE_INFINITY
  let movedAt = performance.now()
  while (performance.now() - movedAt < STUCK_MS) {
    const waiting = people.flatMap((person) => [...person.talks]).reduce((sum, talk) => sum + talk.waiting, 0)
    if (waiting === 0) return
    if (waiting < left) movedAt = performance.now()
    left = waiting
    await pause(50)
  }
  ledger.violation(`on a good line ${left} messages wait, and for ${STUCK_MS} ms nothing moves`)
}

async function catchUp(person: Person, ledger: Ledger): Promise<void> {
  for (const from = performance.now(); performance.now() - from < STUCK_MS; ) {
    if (await person.sync()) return
  }
  ledger.violation(`${person.browser} asks for what is new, and for ${STUCK_MS} ms has no answer`)
}

/** Everybody must see what is stored. */
export function checkViews(
  people: Person[],
  { conversations }: Awaited<ReturnType<typeof readByRest>>,
  ledger: Ledger,
): void {
  for (const person of people) {
    for (const { clientId, view } of person.talks) {
      const stored = conversations.get(clientId)?.messages ?? []
      const isWhole = stored.every((message, place) => {
        const shown = view[place]
        return shown !== undefined && isSame(message, shown)
      })
      if (!isWhole || view.length !== stored.length) {
        ledger.violation(`${person.browser} sees ${view.length} messages where ${stored.length} are stored`)
      }
    }
  }
}

/** Prints the counts, and the broken promises if there are any: then the process fails. */
export function report(rows: [what: string, count: number][], ledger: Ledger, seed: number): void {
  for (const [what, count] of rows) console.log(`${String(count).padStart(8)}  ${what}`)
  const { violations } = ledger
  console.log(`${String(violations.length).padStart(8)}  violations`)
  if (violations.length === 0) return
  console.error(`\nBroken promises (seed ${seed}):`)
  for (const violation of violations.slice(0, 20)) console.error(`- ${violation}`)
  if (violations.length > 20) console.error(`- and ${violations.length - 20} more`)
  process.exitCode = 1
}
