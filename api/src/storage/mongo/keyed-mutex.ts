/** Runs what has the same key one after another, in the order in which it was asked for, and the rest side by side. */
export class InTurn {
  readonly #last = new Map<string, Promise<unknown>>()

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key)
    const turn = before === undefined ? work() : before.then(work, work)
    this.#last.set(key, turn)
    const leave = () => {
      if (this.#last.get(key) === turn) this.#last.delete(key)
    }
    turn.then(leave, leave)
    return turn
  }
}
