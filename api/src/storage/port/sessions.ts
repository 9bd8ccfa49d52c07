import type { SessionRecord, SessionUse } from './records.ts'

export interface SessionRepository {
  create(session: SessionRecord): Promise<void>
  /** Null when it is missing, ended, or expired at `now`. */
  find(id: string, now: number): Promise<SessionRecord | null>
  /** The newest hundred of a user's sessions that are not expired at `now`, newest first. */
  listOf(userId: string, now: number): Promise<SessionRecord[]>
  /**
   * Makes `toHash` the newest and `fromHash` its predecessor, if `fromHash` is the newest. False otherwise: another
   * request rotated first, or the session is gone.
   */
  rotate(id: string, fromHash: string, toHash: string, use: SessionUse): Promise<boolean>
  /** False when the session is gone. */
  confirm(id: string, confirmedAt: number): Promise<boolean>
  end(id: string): Promise<void>
  /** Removes expired sessions. */
  sweep(now: number): Promise<void>
}
