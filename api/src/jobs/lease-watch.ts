/**
 * Judges leases of other nodes without comparing two clocks: one is over when this process has seen it unchanged for
 * `leaseMs` by its own monotonic clock. A renewal changes it. A look that comes late, after an outage of the store or a
 * pause of this process, counts for a third of `leaseMs` at most, so that the node that holds the lease can renew it
 * first.
 * @param leases all that are held now, each with what its renewal changes; others are forgotten
 * @returns those that are over
 */
export type LeaseWatch = (leases: readonly string[]) => string[]

export function createLeaseWatch(leaseMs: number, monotonic: () => number): LeaseWatch {
  let seenMs = new Map<string, number>()
  let lookedAt = 0
  return (leases) => {
    const at = monotonic()
    const passed = Math.min(at - lookedAt, leaseMs / 3)
    lookedAt = at
    const before = seenMs
    seenMs = new Map(
      leases.map((lease) => {
        const known = before.get(lease)
        return [lease, known === undefined ? 0 : known + passed]
      }),
    )
    return leases.filter((lease) => (seenMs.get(lease) ?? 0) >= leaseMs)
  }
}
