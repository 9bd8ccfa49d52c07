/**
 * A process of the benchmark `storm`, which holds some of the visitors. As in the engine, each reads everything after its
 * last `seq` whenever it has connected; with Socket.IO's own client, it takes what it receives.
 */
import { VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import type { Message, Page } from '@proctorpass/shared/schemas/chat'
import { type Client, clock, KeptSocket } from './kept-socket.ts'
import type { RawSocket } from './raw-socket.ts'

export interface Person {
  clientId: string
  key: string
  localAddress: string
}

export type Order = { origin: string; client: Client; people: Person[] } | 'killed' | 'report'

/** The answer when all visitors are connected and current, at first and again after `killed`. */
export interface Back {
  /** When each visitor was, on the `clock`. */
  back: number[]
}

/** The answer to `report`. */
export interface Report {
  /** The messages that each visitor shows, by the time at which they were typed. */
  shown: Record<string, string[]>
  /** When each message was typed that reached its visitor over an open connection, and when the visitor received it. */
  pushed: [typedAt: number, at: number][]
}

/** Connecting at the same time before the storm. */
const AT_ONCE = 50
const visitors: Visitor[] = []

class Visitor {
  readonly shown: string[] = []
  /** When the visitor was connected and current, null since the last kill. */
  backAt: number | null = null
  readonly person: Person
  readonly #isEngine: boolean
  #cursor = 0
  readonly #kept: KeptSocket

  constructor(person: Person, origin: string, client: Client) {
    this.person = person
    this.#isEngine = client === 'engine'
    const { localAddress, ...auth } = person
    this.#kept = new KeptSocket({
      ...{ client, origin, localAddress, auth, namespace: VISITOR_NAMESPACE },
      onUp: (socket) => this.#listen(socket),
    })
  }

  open = () => this.#kept.open()

  #listen(socket: RawSocket): void {
    socket.onMessage = (frame) => {
      const [, message] = JSON.parse(frame.slice(frame.indexOf('['))) as [string, Message]
      if (this.#isEngine && message.seq > this.#cursor + 1) return this.#sync(socket)
      if (this.#show(message)) pushed.push([Number(message.message), clock()])
    }
    if (this.#isEngine) this.#sync(socket)
    else this.#current()
  }

  #sync(socket: RawSocket): void {
    socket.send('conversation:sync', { after: this.#cursor, edits: 0 }, (ok, answer) => {
      // A refusal ends the connection, and the visitor connects again.
      if (!ok) return socket.close()
      const [{ data }] = JSON.parse(answer) as [{ data: Page }]
      for (const message of data.messages) this.#show(message)
      if (data.more) this.#sync(socket)
      else this.#current()
    })
  }

  /** Returns false if the message is shown already. */
  #show({ seq, message }: Message): boolean {
    if (this.#isEngine && seq <= this.#cursor) return false
    this.#cursor = seq
    this.shown.push(message)
    return true
  }

  #current(): void {
    if (this.backAt !== null) return
    this.backAt = clock()
    missing -= 1
    if (missing === 0) tell({ back: visitors.map(({ backAt }) => backAt as number) })
  }
}

const pushed: Report['pushed'] = []
/** How many visitors are not current. */
let missing = 0

const tell = (answer: Back | Report) => process.send?.(answer)

process.on('message', async (order: Order) => {
  if (order === 'report') {
    const shown = Object.fromEntries(visitors.map(({ person, shown }) => [person.clientId, shown]))
    tell({ shown, pushed })
  } else if (order === 'killed') {
    for (const visitor of visitors) visitor.backAt = null
    missing = visitors.length
  } else {
    const { people, origin, client } = order
    for (const person of people) visitors.push(new Visitor(person, origin, client))
    missing = visitors.length
    const waiting = [...visitors]
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let visitor = waiting.pop(); visitor !== undefined; visitor = waiting.pop()) await visitor.open()
      }),
    )
  }
})
process.on('disconnect', () => process.exit())
