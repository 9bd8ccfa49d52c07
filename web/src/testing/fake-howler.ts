/** The sources of all sounds that were played. */
export const played: string[] = []

/** Replaces howler with `vi.mock`: jsdom plays no sound. */
export class Howl {
  #src: string
  constructor({ src }: { src: string[] }) {
    this.#src = String(src)
  }
  play(): void {
    played.push(this.#src)
  }
}
