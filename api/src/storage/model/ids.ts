import { randomBytes, randomInt } from 'node:crypto'

const PROCESS = randomBytes(5).toString('hex')

let counter = randomInt(0x1000000)

/**
 * Returns an `_id` in the form of MongoDB's ObjectId, 24 hex digits: seconds, a random part per process, and a counter.
 * It is unique but not secret, because neighboring IDs can be guessed.
 */
export function newId(at = Date.now()): string {
  counter = (counter + 1) % 0x1000000
  const second = Math.floor(at / 1000) % 0x100000000
  return second.toString(16).padStart(8, '0') + PROCESS + counter.toString(16).padStart(6, '0')
}

/** Returns an epoch, which is random and never reused. */
export function newEpoch(): string {
  return randomBytes(12).toString('base64url')
}
