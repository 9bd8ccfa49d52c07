import type { Side } from '@proctorpass/shared/events'
import type { Message } from '@proctorpass/shared/schemas/chat'

/** What one person typed into one conversation. */
export interface Typed {
  clientId: string
  senderId: string
  /** A browser: one user may write from several, and only within one is there an order of typing. */
  browser: string
  nonce: string
  message: string
}

export interface Counts {
  sends: number
  /** Asked for twice at once, by socket and by REST. */
  doubled: number
  /** Nonces sent again long after they were acknowledged. */
  late: number
  /** Answers in which the server said that it had stored the nonce before. */
  repeated: number
  /** No answer in time, or the line broke. */
  unanswered: number
  factsHeard: number
  factsDisturbed: number
  syncs: number
}

/** Everything that was typed and promised, against which the store is read back; and every broken promise. */
export class Ledger {
  readonly violations: string[] = []
  readonly counts: Counts = {
    sends: 0,
    doubled: 0,
    late: 0,
    repeated: 0,
    unanswered: 0,
    factsHeard: 0,
    factsDisturbed: 0,
    syncs: 0,
  }
  /** In the order of typing, over all. */
  readonly typed: Typed[] = []
  /** By nonce. */
  readonly acknowledged = new Map<string, Message>()
  readonly #epochs = new Map<string, string>()
  readonly #marks = new Map<string, number>()

  violation(text: string): void {
    this.violations.push(text)
  }

  /** An acknowledgement: the message must be what was typed, and the same as in every earlier answer. */
  acknowledge(typed: Typed, message: Message): void {
    for (const key of ['clientId', 'senderId', 'nonce', 'message'] as const) {
      if (typed[key] !== message[key]) {
        this.violation(`acknowledged another ${key}: ${JSON.stringify({ typed, message })}`)
      }
    }
    const before = this.acknowledged.get(typed.nonce)
    if (before === undefined) this.acknowledged.set(typed.nonce, message)
    else if (!isSame(before, message)) {
      this.violation(`one nonce, two messages: ${JSON.stringify([before, message])}`)
    }
    this.sawEpoch(message.clientId, message.epoch)
  }

  sawEpoch(clientId: string, epoch: string): void {
    const known = this.#epochs.get(clientId)
    if (known === undefined) this.#epochs.set(clientId, epoch)
    else if (known !== epoch) this.violation(`the epoch of a conversation changed from ${known} to ${epoch}`)
  }

  /** The server has said that this side's mark stands at `seq`. */
  marked(clientId: string, side: Side, seq: number): void {
    const key = `${clientId} ${side}`
    this.#marks.set(key, Math.max(seq, this.#marks.get(key) ?? 0))
  }

  highestMark(clientId: string, side: Side): number {
    return this.#marks.get(`${clientId} ${side}`) ?? 0
  }
}

export function isSame(a: Message, b: Message): boolean {
  return (
    a._id === b._id &&
    a.clientId === b.clientId &&
    a.senderId === b.senderId &&
    a.message === b.message &&
    a.createdAt === b.createdAt &&
    a.seq === b.seq &&
    a.epoch === b.epoch &&
    a.nonce === b.nonce
  )
}
