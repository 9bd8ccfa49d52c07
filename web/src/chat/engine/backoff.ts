import { AppError } from '@proctorpass/shared/errors'

/** Returns a pause that doubles from `base` to `cap`, with jitter so that many browsers do not retry at once. */
export function backoff(failures: number, base: number, cap: number): number {
  const full = Math.min(cap, base * 2 ** Math.max(0, failures - 1))
  return full / 2 + (Math.random() * full) / 2
}

/** Returns the pause in milliseconds that the server asked for. */
export function retryAfter(error: unknown): number {
  return error instanceof AppError ? (error.retryAfterMs ?? 0) : 0
}
