/** How many sockets of one key are open; for limits on what one conversation or address may hold. */
export class OpenSockets {
  readonly #counts = new Map<string, number>()

  /** False, and nothing counted, when the key has as many as it may. */
  enter(key: string, max: number): boolean {
    const count = this.#counts.get(key) ?? 0
    if (count >= max) return false
    this.#counts.set(key, count + 1)
    return true
  }

  leave(key: string): void {
    const count = this.#counts.get(key) ?? 0
    if (count <= 1) this.#counts.delete(key)
    else this.#counts.set(key, count - 1)
  }
}
