import type { Ledger } from '../../faults/ledger.ts'
import { type Actor, currentActor, type World } from './world.ts'

/** More than a server needs to store that something was delivered. */
const STORED_WITHIN_MS = 5_000
/** In this time another node takes the job of one that does not reach the store. */
const TAKEN_OVER_MS = 30_000

interface Delivery {
  at: number
  sender: Actor
  /** When the sender was told. Null before, and if the answer was lost. */
  toldAt: number | null
  /** When the sender was killed. */
  endedAt: number
}

/**
 * What servers delivered to the outside, by mail or by push. A server that was told of a delivery and goes on must not
 * repeat it, nor may another one.
 */
export class Deliveries {
  /** By what names them. */
  readonly #accepted = new Map<string, Delivery[]>()
  readonly #world: World
  readonly #ledger: Ledger
  readonly #storeFailedAt: () => number

  /** @param storeFailedAt when a call of the store failed last */
  constructor(world: World, ledger: Ledger, storeFailedAt: () => number) {
    this.#world = world
    this.#ledger = ledger
    this.#storeFailedAt = storeFailedAt
  }

  has(key: string): boolean {
    return this.#accepted.has(key)
  }

  /** The server that runs has delivered this. Returns what to call when it is told. */
  accept(key: string): () => void {
    const sender = currentActor()
    if (sender === undefined) throw new Error('Servers deliver.')
    const before = this.#accepted.get(key) ?? []
    const { now } = this.#world
    if (!before.every((delivery) => this.#mayRepeat(delivery, sender))) {
      this.#ledger.violation(`${key} was delivered ${before.length + 1} times`)
    }
    const delivery: Delivery = { at: now, sender, toldAt: null, endedAt: Infinity }
    this.#accepted.set(key, [...before, delivery])
    sender.onKilled.add(() => {
      delivery.endedAt = this.#world.now
    })
    return () => {
      delivery.toldAt = this.#world.now
    }
  }

  #mayRepeat({ at, sender, toldAt, endedAt }: Delivery, next: Actor): boolean {
    if (toldAt === null) return true
    const storedBy = toldAt + STORED_WITHIN_MS
    const wasStopped = (actor: Actor) => actor.stoppedUntil > at - STORED_WITHIN_MS
    return (
      endedAt < storedBy ||
      wasStopped(sender) ||
      wasStopped(next) ||
      this.#storeFailedAt() > at - TAKEN_OVER_MS
    )
  }
}
