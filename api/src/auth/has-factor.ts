import type { UserRecord } from '../storage/model/users.ts'

/** Whether the user proves more than the password. Recovery codes alone don't count. */
export function hasFactor({ factors }: Pick<UserRecord, 'factors'>): boolean {
  return factors.totp !== null || factors.passkeys.length > 0
}
