import { currentActor, type World } from './world.ts'

interface Held {
  name: string
  isShared: boolean
}

interface Options {
  signal?: AbortSignal
  mode?: 'shared'
}

/** Web Locks in a world: a lock is granted a moment after it is free, in the order of the requests. */
export class WorldLocks {
  readonly #world: World
  readonly #held = new Set<Held>()
  readonly #waiting: { wanted: Held; grant: () => void }[] = []

  constructor(world: World) {
    this.#world = world
  }

  query = async () => ({ held: [...this.#held].map(({ name }) => ({ name })) })

  request = <T>(name: string, { signal, mode }: Options, work: () => Promise<T>): Promise<T> => {
    const actor = currentActor()
    if (actor === undefined) throw new Error('A lock is for an actor.')
    return new Promise((resolve, reject) => {
      const wanted = { name, isShared: mode === 'shared' }
      const waiting = {
        wanted,
        grant: () => {
          this.#held.add(wanted)
          this.#world.after(0, actor, 'gets a lock', () => {
            signal?.removeEventListener('abort', onAbort)
            const release = () => {
              this.#held.delete(wanted)
              this.#grant()
            }
            work().then(resolve, reject).finally(release)
          })
        },
      }
      const onAbort = () => {
        const index = this.#waiting.indexOf(waiting)
        if (index === -1) return
        this.#waiting.splice(index, 1)
        reject(signal?.reason)
      }
      signal?.addEventListener('abort', onAbort)
      this.#waiting.push(waiting)
      this.#grant()
    })
  }

  #grant(): void {
    for (const waiting of [...this.#waiting]) {
      const { name, isShared } = waiting.wanted
      const isFree = [...this.#held].every((held) => held.name !== name || (held.isShared && isShared))
      if (!isFree) continue
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      waiting.grant()
    }
  }
}
