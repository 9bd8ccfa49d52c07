/**
 * The commands that one socket may send in a burst, enough for a full outbox or a long sync. After that a steady rate
 * applies.
 */
const BURST = 200
const PER_SECOND = 50
/** A client that overdraws the budget by this many commands is not our browser. */
const OVERDRAFT_MAX = 400

/** A token bucket, stored in its socket so that it needs no lookup and no cleanup. */
export interface Budget {
  left: number
  at: number
}

export function newBudget(now: number): Budget {
  return { left: BURST, at: now }
}

/**
 * Returns the milliseconds until the next command is allowed, or 0 if it is allowed now. For 'abuse', the caller must
 * disconnect the client.
 */
export function spend(budget: Budget, now: number): number | 'abuse' {
  const earned = ((now - budget.at) * PER_SECOND) / 1000
  budget.left = Math.min(BURST, budget.left + Math.max(0, earned)) - 1
  budget.at = now
  if (budget.left >= 0) return 0
  return budget.left < -OVERDRAFT_MAX ? 'abuse' : Math.ceil((-budget.left * 1000) / PER_SECOND)
}
