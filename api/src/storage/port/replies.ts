/** A canned reply. `_id` has 24 hex digits. */
export interface ReplyRecord {
  _id: string
  /** Unique. */
  shortcut: string
  text: string
  /** 1 at first, incremented by each change. */
  version: number
}

export interface NewReply {
  shortcut: string
  text: string
  createdAt: number
}

/** Undefined fields stay as they are. */
export interface ReplyChange {
  shortcut?: string | undefined
  text?: string | undefined
}

export type ReplyStored<Refusal extends string> =
  | { outcome: 'stored'; reply: ReplyRecord }
  | { outcome: 'shortcut-taken' | Refusal }

export interface ReplyRepository {
  /** All of them, in order of shortcut by code units. */
  list(): Promise<ReplyRecord[]>
  /**
   * `full`: the store has `max` replies. Of two calls at once, both may find room for one.
   * A taken shortcut is found first.
   */
  create(reply: NewReply, max: number): Promise<ReplyStored<'full'>>
  /**
   * Stores the change under the next version, only while `version` is stored, checked by the write itself: of two
   * changes of one version, one is stored and the other is `stale`.
   */
  update(id: string, change: ReplyChange, version: number): Promise<ReplyStored<'missing' | 'stale'>>
  /** False when it is missing. */
  remove(id: string): Promise<boolean>
}
