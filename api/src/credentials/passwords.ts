import { randomInt } from 'node:crypto'
import { normalizePassword } from '@proctorpass/shared/fields/password'
import { createSemaphore } from '../limits/semaphore.ts'

/**
 * OWASP's parameters for argon2id, which are the library's default. A sign-in rehashes a password with weaker
 * parameters.
 */
const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** A hash that no password matches. An unknown user is verified against it, which takes as long as for a known one. */
const DUMMY_HASH = `$argon2id$v=19$m=${PARAMETERS.memoryCost},t=${PARAMETERS.timeCost},p=${PARAMETERS.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`

/** Each hash takes 19 MiB and a thread for about 20 ms. */
const RUNS_AT_ONCE = 2
const QUEUE_MAX = 50

/** The library is loaded with the first password, because it takes 6 MB. */
const loadArgon2 = () => import('@node-rs/argon2')

/** Hashes and verifies passwords. Calls reject with an AppError `unavailable` if too many wait. */
export function createPasswords() {
  const semaphore = createSemaphore({
    atOnce: RUNS_AT_ONCE,
    waitingMax: QUEUE_MAX,
    refusal: 'Too many people are signing in. Try again in a few seconds.',
  })

  return {
    async hash(password: string): Promise<string> {
      const { hash } = await loadArgon2()
      return semaphore(() => hash(normalizePassword(password), PARAMETERS))
    },
    /** Takes the same time with and without a hash, so that timing does not reveal user names. */
    async verify(storedHash: string | null, password: string): Promise<boolean> {
      const { verify } = await loadArgon2()
      const matches = await semaphore(() => verify(storedHash ?? DUMMY_HASH, normalizePassword(password)))
      return matches && storedHash !== null
    },
    /** Whether the hash has weaker parameters than the current ones. */
    async isOutdated(storedHash: string): Promise<boolean> {
      const { parseOptions } = await loadArgon2()
      const { memoryCost, timeCost, parallelism } = parseOptions(storedHash)
      return (
        memoryCost < PARAMETERS.memoryCost ||
        timeCost < PARAMETERS.timeCost ||
        parallelism !== PARAMETERS.parallelism
      )
    },
  }
}

export type Passwords = ReturnType<typeof createPasswords>

/** Generates a password of 118 bits in four groups of unambiguous letters and digits, to be typed from a screen. */
export function generatePassword(): string {
  const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'
  const group = () => Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
