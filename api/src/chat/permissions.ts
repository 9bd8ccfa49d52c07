import { AppError } from '@proctorpass/shared/errors'
import type { AdminCaller, Caller, VisitorCaller } from '../auth/caller.ts'
import { limitKey } from '../auth/visitor-key.ts'
import type { LimitKind, Limits } from '../limits/limits.ts'
import { type KeyHashes, opens } from '../storage/model/conversation/visitor-keys.ts'
import type { Storage } from '../storage/model/storage.ts'

/** The points that a call with a wrong key costs its address, and a message that is not stored. */
export const REFUSED_POINTS = 20

/** Returns the caller's ID as a sender. Throws unless the conversation is the visitor's own. */
export function senderIn(caller: Caller, clientId: string): string {
  if (caller.side === 'admin') return caller.userId
  if (caller.clientId !== clientId) throw new AppError('forbidden', "This conversation isn't yours.")
  return caller.clientId
}

/** Returns the caller as an admin. Throws for a visitor. */
export function adminIn(caller: Caller): AdminCaller {
  if (caller.side !== 'admin') throw new AppError('forbidden', 'Only admins can see this.')
  return caller
}

/** Returns the key that the store checks; admins need none. */
export function keyOf(caller: Caller): { keyHash?: string | null } {
  return caller.side === 'visitor' ? { keyHash: caller.keyHash } : {}
}

/**
 * Creates the error for a wrong key. A 256-bit key cannot be guessed, so the charge only pays for the work. The address
 * pays, because if the conversation paid, strangers could lock out its owner.
 */
export async function wrongKey(limits: Pick<Limits, 'charge'>, caller: Caller): Promise<AppError> {
  if (caller.side === 'visitor') await limits.charge('address', caller.address, REFUSED_POINTS)
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

/** Takes from a limit of the visitor's conversation after checking its key. */
export async function takeOfConversation(
  { limits, storage }: { limits: Pick<Limits, 'take' | 'charge'>; storage: Pick<Storage, 'conversations'> },
  kind: LimitKind,
  caller: VisitorCaller,
): Promise<void> {
  const keyHashes = (await storage.conversations.find(caller.clientId))?.keyHashes ?? []
  await mustHaveKey(limits, caller, keyHashes)
  await limits.take(kind, limitKey(caller, keyHashes))
}
