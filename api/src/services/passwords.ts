import { randomBytes, randomInt } from 'node:crypto'
import { hash, parseOptions, verify } from '@node-rs/argon2'
import { AppError } from '@proctorpass/shared/errors'
import { normalizePassword } from './password-rules.ts'

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
  const turn = createTurns()
  const dummy = hash(randomBytes(16).toString('hex'), PARAMETERS)

  return {
    hash: (password) => turn(() => hash(normalizePassword(password), PARAMETERS)),
    async verify(storedHash, password) {
      const against = storedHash ?? (await dummy)
      const matches = await turn(() => verify(against, normalizePassword(password)))
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

/** A few run, some wait in line, the rest are told to come back. */
function createTurns(): <T>(run: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (run) => {
    if (running >= RUNS_AT_ONCE) {
      if (waiting.length >= QUEUE_MAX) {
        throw new AppError(
          'unavailable',
          'Too many people sign in right now. Please try again in a few seconds.',
          {
            retryAfterMs: 2_000,
          },
        )
      }
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running += 1
    }
    try {
      return await run()
    } finally {
      // The place is handed on, so that nobody who comes now overtakes those who wait.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}

/** Letters and digits that nobody confuses, in four groups: 118 bits that can be typed from a screen. */
export function generatePassword(): string {
  const alphabet = '23456789abcdefghjkmnpqrstuvwxyz'
  const group = () => Array.from({ length: 6 }, () => alphabet[randomInt(alphabet.length)]).join('')
  return Array.from({ length: 4 }, group).join('-')
}
