/** Commands of one socket: a burst for an outbox that empties itself or a long catch-up, then a steady rate. */
const BURST = 200
const PER_SECOND = 50
/** A client this far beyond the budget is not our browser. */
const ABUSE = 400

/** A token bucket, kept with its socket so that it costs no lookup and goes when the socket goes. */
export interface Budget {
  left: number
  at: number
}

export function newBudget(now: number): Budget {
  return { left: BURST, at: now }
}

/** Milliseconds to wait before the next command; 0: go on. 'abuse': hang up. */
export function spend(budget: Budget, now: number): number | 'abuse' {
  const earned = ((now - budget.at) * PER_SECOND) / 1000
  budget.left = Math.min(BURST, budget.left + Math.max(0, earned)) - 1
  budget.at = now
  if (budget.left >= 0) return 0
  return budget.left < -ABUSE ? 'abuse' : Math.ceil((-budget.left * 1000) / PER_SECOND)
}
