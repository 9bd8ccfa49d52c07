/** Something that an import left out. `place` says where it is in the file. */
export interface LeftOut {
  place: string
  reason: string
}

/** The most entries that are kept. The last one then says how many more there are. */
const LISTED_MAX = 100_000

/** Collects what an import leaves out. */
export class LeftOutList {
  readonly #listed: LeftOut[] = []
  #more = 0

  add(place: string, reason: string): void {
    if (this.#listed.length < LISTED_MAX) this.#listed.push({ place, reason })
    else this.#more += 1
  }

  list(): LeftOut[] {
    if (this.#more === 0) return this.#listed
    return [...this.#listed, { place: 'further places', reason: `${this.#more} more are not listed` }]
  }
}

/** The places that a list for people names for each reason. */
const PLACES_SHOWN = 10

/** Returns the list as lines for people, one for each reason. */
export function leftOutLines(list: readonly LeftOut[]): string[] {
  return [...Map.groupBy(list, ({ reason }) => reason)].map(([reason, entries]) => {
    const shown = entries.slice(0, PLACES_SHOWN).map(({ place }) => place)
    const more = entries.length - shown.length
    const rest = more === 0 ? '' : `, and ${more} more`
    return `  ${entries.length}: ${reason} (${shown.join('; ')}${rest})`
  })
}
