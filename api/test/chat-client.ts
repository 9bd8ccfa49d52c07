import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { CLIENT_ID_LENGTH } from '@proctorpass/shared/limits'
import { paths } from '@proctorpass/shared/paths'
import type { SignedIn } from '@proctorpass/shared/schemas/auth'
import { ADMIN } from './admin.ts'

/** REST base of the servers that tests start. */
export const API_PREFIX = '/api'

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A client id or a nonce: both may be 20 letters and digits. */
export function newId(): string {
  let id = ''
  for (let i = 0; i < CLIENT_ID_LENGTH; i++) {
    id += LETTERS_AND_DIGITS[randomInt(LETTERS_AND_DIGITS.length)]
  }
  return id
}

export async function signInAsAdmin(origin: string): Promise<SignedIn> {
  const answer = await fetch(origin + API_PREFIX + paths.auth, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  if (answer.status !== 200) throw new Error(`signing in: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as SignedIn
}

/** One every second. */
const TRIES_MAX = 60

export const signInWhenReady = (origin: string) => untilAnswered(() => signInAsAdmin(origin))

/** Asks again after an error: the store or the node may have been down a moment ago. */
export async function untilAnswered<T>(
  ask: () => Promise<T>,
  mayPass: (error: Error) => boolean = () => true,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      if (tries === TRIES_MAX || !mayPass(error as Error)) throw error
      await pause(1_000)
    }
  }
}
