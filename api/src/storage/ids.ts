import { randomBytes } from 'node:crypto'

/** An `_id`: 24 hex digits, the first eight the second of its making, as MongoDB's are. */
export function newId(at = Date.now()): string {
  return (
    Math.floor(at / 1000)
      .toString(16)
      .padStart(8, '0')
      .slice(-8) + randomBytes(8).toString('hex')
  )
}

/** An epoch: random, never reused. */
export function newEpoch(): string {
  return randomBytes(12).toString('base64url')
}

/** User names are one user's whatever their case or composition. */
export function nameKey(userName: string): string {
  return userName.normalize('NFKC').toLowerCase()
}
