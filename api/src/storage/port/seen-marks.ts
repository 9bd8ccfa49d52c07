/** What one admin has seen of a conversation. */
export interface SeenMark {
  clientId: string
  /** Of the history that was seen. */
  epoch: string
  /** Of the newest message. */
  seq: number
  /** Of the newest entry of the log. */
  n: number
}

/** The marks of each admin. Nothing but that admin's dashboard depends on them; the read mark of the admins is another. */
export interface SeenMarkRepository {
  /**
   * Moves the admin's mark forwards, each number by itself. Null when neither moves, or when the conversation has another
   * epoch or is missing; else the mark as it is now.
   */
  move(userId: string, mark: SeenMark): Promise<SeenMark | null>
  /** The admin's marks of these conversations, without those of erased histories, in no order. */
  of(userId: string, clientIds: readonly string[]): Promise<SeenMark[]>
}
