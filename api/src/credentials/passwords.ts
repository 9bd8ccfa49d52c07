import { randomBytes, randomInt } from 'node:crypto'
import { hash, parseOptions, verify } from '@node-rs/argon2'
import { normalizePassword } from '@proctorpass/shared/fields/password'
import { createSemaphore } from '../limits/semaphore.ts'

/** OWASP's parameters for argon2id, which is the library's algorithm. Raised ones reach each user at the next login. */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Each run holds 19 MiB and a thread for about 20 ms. */
const RUNS_AT_ONCE = 2
const QUEUE_MAX = 50

export interface Passwords {
  hash(password: string): Promise<string>
  /** Takes the same time whether there is a hash (a user) or not. */
  verify(storedHash: string | null, password: string): Promise<boolean>
  /** Whether the hash was made with weaker parameters than today's. */
  isOutdated(storedHash: string): boolean
}

/** Rejects with AppError `unavailable` when too many wait already. */
export function createPasswords(): Passwords {
  const semaphore = createSemaphore({
    atOnce: RUNS_AT_ONCE,
    waitingMax: QUEUE_MAX,
    refusal: 'Too many people sign in right now. Please try again in a few seconds.',
  })
  const dummy = hash(randomBytes(16).toString('hex'), PARAMETERS)

  return {
    hash: (password) => semaphore(() => hash(normalizePassword(password), PARAMETERS)),
    async verify(storedHash, password) {
      const against = storedHash ?? (await dummy)
      const matches = await semaphore(() => verify(against, normalizePassword(password)))
      return matches && storedHash !== null
    },
    isOutdated(storedHash) {
      const { memoryCost, timeCost, parallelism } = parseOptions(storedHash)
      return (
        memoryCost < PARAMETERS.memoryCost ||
        timeCost < PARAMETERS.timeCost ||
        parallelism !== PARAMETERS.parallelism
      )
    },
  }
}

/** Letters and digits that nobody confuses, in four groups: 118 bits that can be typed from a screen. */
export function generatePassword(): string {
  const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'
  const group = () => Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
