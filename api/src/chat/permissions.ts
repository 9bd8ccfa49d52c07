import { AppError } from '@proctorpass/shared/errors'
import type { AdminCaller, Caller } from '../auth/caller.ts'
import type { Limits } from '../limits/limits.ts'
import { type KeyHashes, opens } from '../storage/visitor-keys.ts'

/** What a call with a wrong key costs its address. */
const WRONG_KEY_POINTS = 20

/** Throws unless the conversation is the visitor's own. Returns the caller's id as a sender. */
export function senderIn(caller: Caller, clientId: string): string {
  if (caller.side === 'admin') return caller.userId
  if (caller.clientId !== clientId) throw new AppError('forbidden', "This conversation isn't yours.")
  return caller.clientId
}

/** The caller as an admin. Throws for a visitor. */
export function adminIn(caller: Caller): AdminCaller {
  if (caller.side !== 'admin') throw new AppError('forbidden', 'Only admins can see this.')
  return caller
}

/** The key that the store checks; admins need none. */
export function keyOf(caller: Caller): { keyHash?: string | null } {
  return caller.side === 'visitor' ? { keyHash: caller.keyHash } : {}
}

/**
 * The error for a wrong key. A 256-bit key cannot be guessed, so the charge pays for the work. It goes to the address:
 * charged to the conversation, strangers could lock out its owner.
 */
export async function wrongKey(limits: Pick<Limits, 'charge'>, caller: Caller): Promise<AppError> {
  if (caller.side === 'visitor') await limits.charge('address', caller.address, WRONG_KEY_POINTS)
  return new AppError(
    'forbidden',
    'This conversation belongs to another browser. Reload the page to start a new one.',
  )
}

export async function mustHaveKey(
  limits: Pick<Limits, 'charge'>,
  caller: Caller,
  keyHashes: KeyHashes,
): Promise<void> {
  if (caller.side === 'visitor' && !opens(keyHashes, caller.keyHash)) throw await wrongKey(limits, caller)
}
