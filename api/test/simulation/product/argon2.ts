import { createHash } from 'node:crypto'

/** Stands in for argon2, which takes 20 ms of a thread: no oracle asks how hard a password is to guess. */

const PREFIX = '$simulated$'

export async function hash(password: string): Promise<string> {
  return PREFIX + createHash('sha256').update(password).digest('base64url')
}

export async function verify(stored: string, password: string): Promise<boolean> {
  return stored === (await hash(password))
}

export const parseOptions = () => ({ memoryCost: 19_456, timeCost: 2, parallelism: 1 })
