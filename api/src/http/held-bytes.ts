/** A form that is being read, or whose work is running. */
interface Held {
  network: string
  bytes: number
  /** Makes reading the form fail; null once it was read, because its work ends by itself. */
  cut: (() => void) | null
}

/**
 * Bounds the bytes of all forms in memory together. Beyond the bound, the network that holds the most bytes loses its
 * largest form that is still being read, so that senders of much cannot keep out senders of little.
 */
export function createHeldBytes(bytesMax: number) {
  const all = new Set<Held>()
  const bytesOf = (network: string) =>
    [...all].reduce((sum, each) => sum + (each.network === network ? each.bytes : 0), 0)

  function largest(): Held | undefined {
    const reading = [...all].filter(({ cut }) => cut !== null)
    return reading.sort((a, b) => bytesOf(b.network) - bytesOf(a.network) || b.bytes - a.bytes)[0]
  }

  return {
    /** Call `end` when the form's work is done, or when reading it failed. `cut` must make reading it fail. */
    begin(network: string, cut: () => void) {
      const held: Held = { network, bytes: 0, cut }
      all.add(held)
      return {
        add(bytes: number): void {
          held.bytes += bytes
          const total = [...all].reduce((sum, each) => sum + each.bytes, 0)
          const loser = total > bytesMax ? largest() : undefined
          if (loser === undefined) return
          all.delete(loser)
          loser.cut?.()
        },
        read(): void {
          held.cut = null
        },
        end(): void {
          all.delete(held)
        },
      }
    },
  }
}
