/**
 * Judges other nodes' leases without comparing two clocks: a lease is over when this process has seen it unchanged for
 * `leaseMs` by its own monotonic clock. A renewal changes the lease. A look that comes late, after a store outage or a
 * pause of this process, counts for at most a third of `leaseMs`, so that the node that holds the lease can renew it
 * first.
 * @param leases all leases that are held now, each with what its renewal changes; the watch forgets all others
 * @returns the leases that are over
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
