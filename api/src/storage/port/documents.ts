/** A document of which the store has one. */
export interface StoredDocument<T> {
  /** 1 when created, one more with each change. */
  version: number
  value: T
}

/** Documents by name, such as the settings. Values are JSON. */
export interface DocumentRepository {
  /** Null when it was never written. */
  read<T>(name: string): Promise<StoredDocument<T> | null>
  /**
   * Stores the value under the next version, only while `version` is stored (0: none), judged by the write itself: of
   * two nodes that write at once, one succeeds. False otherwise.
   */
  write<T>(name: string, value: T, version: number): Promise<boolean>
}
