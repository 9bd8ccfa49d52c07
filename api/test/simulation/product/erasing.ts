import { setTimeout as pause } from 'node:timers/promises'
import { checkAuditLog } from '../../faults/audit-log.ts'
import { beginErased, ERASED_TIMES, MARK, until } from '../../faults/erased-conversation.ts'
import type { Ledger } from '../../faults/ledger.ts'
import type { Faults } from './faults.ts'
import type { Network } from './network.ts'

/** Conversations that are erased at a time. */
const AT_ONCE = 2
/** When each is erased, at most. */
const PAUSE_MS = 5_000

/** The tables and collections that may have rows of an erased conversation, but none of its words. */
const WITHOUT_WORDS = new Set([
  ...['conversations', 'events', 'deliveries', 'audit', 'search_progress', 'searchProgress'],
])

/** Conversations that are written and erased, again and again, while everything else happens. */
export class Erasing {
  /** Those that nothing may remain of. */
  readonly ended: string[] = []
  readonly #ledger: Ledger
  readonly #origin: string
  readonly #openNetwork: () => Network
  readonly #faults: Faults
  readonly #networks: Network[] = []
  #hasEnded = false
  #running: Promise<unknown> = Promise.resolve()

  constructor({
    ledger,
    origin,
    openNetwork,
    faults,
  }: {
    ledger: Ledger
    /** The origin of a network without faults. */
    origin: string
    /** Opens a good network. */
    openNetwork: () => Network
    faults: Faults
  }) {
    this.#ledger = ledger
    this.#origin = origin
    this.#openNetwork = openNetwork
    this.#faults = faults
  }

  /** Resolves when the first ones are written. */
  async start(): Promise<void> {
    const first = await this.#begin()
    this.#running = this.#eraseUntilEnd(first)
  }

  /** Resolves when all are erased for good. */
  async end(): Promise<void> {
    this.#hasEnded = true
    for (const network of this.#networks) network.repair()
    await this.#running
  }

  /** Only rows without words are left, and the audit log has an entry for each erase. `remains` tells where a text is. */
  async check(remains: (text: string) => string[]): Promise<void> {
    const find = () => [
      ...remains(MARK).map((name) => `${name} has words`),
      ...this.ended.flatMap((clientId) =>
        remains(clientId)
          .filter((name) => !WITHOUT_WORDS.has(name))
          .map((name) => `${name} has rows of ${clientId}`),
      ),
    ]
    let left: string[] = []
    await until(
      this.#ledger,
      () => `erased, and left: ${left}`,
      () => {
        left = find()
        return left.length === 0
      },
    )
    await checkAuditLog(this.#ledger, this.#origin, this.ended, ERASED_TIMES)
  }

  async #eraseUntilEnd(first: Begun): Promise<void> {
    for (let begun: Begun | null = first; begun !== null; ) {
      const { erased, networks } = begun
      for (const network of networks) if (!this.#hasEnded) network.disturb(this.#faults)
      const eraseSoon = async ({ erase }: Erased) => {
        await pause(Math.random() * PAUSE_MS)
        await erase()
      }
      await Promise.all(erased.map(eraseSoon))
      // All have the same words, so none may be left.
      await Promise.all(erased.map((each) => each.check()))
      // A file that arrives after the last erase would stay for a day, as each file that is not sent does.
      while (networks.some(({ writesUnderWay }) => writesUnderWay > 0)) await pause(100)
      await Promise.all(erased.map((each) => each.end()))
      this.ended.push(...erased.map(({ clientId }) => clientId))
      begun = this.#hasEnded ? null : await this.#begin()
    }
  }

  /** Before the networks are bad, so that little of a run's time is needed. */
  async #begin(): Promise<Begun> {
    const networks: Network[] = []
    const open = () => {
      const network = this.#openNetwork()
      networks.push(network)
      this.#networks.push(network)
      return network
    }
    const { origin } = open()
    const scene = {
      ...{ ledger: this.#ledger, origins: [origin], signedInAt: this.#origin },
      openWay: async () => open(),
    }
    const begin = () => beginErased(scene, Math.random() < 0.5 ? 'admin' : 'visitor')
    const erased = await Promise.all(Array.from({ length: AT_ONCE }, begin))
    return { erased, networks }
  }
}

type Erased = Awaited<ReturnType<typeof beginErased>>

interface Begun {
  erased: Erased[]
  networks: Network[]
}
