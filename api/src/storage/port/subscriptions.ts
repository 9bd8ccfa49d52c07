/** A browser of an admin that receives Web Push. Times are milliseconds since 1970 UTC. */
export interface SubscriptionRecord {
  /** The SHA-256 hash of the endpoint, base64url. */
  _id: string
  userId: string
  /** It ends with its session. */
  sessionId: string
  endpoint: string
  p256dh: string
  auth: string
  label: string
  /** Whether its notifications have the visitor's words. */
  previews: boolean
  createdAt: number
  /** Its push service asked for a pause until then; 0: it did not. */
  retryAt: number
}

export interface SubscriptionRepository {
  /**
   * Stores a subscription. The one of this endpoint is replaced, also another user's, and keeps its `createdAt`. `full`:
   * the user has `max` others.
   */
  put(subscription: SubscriptionRecord, max: number): Promise<'created' | 'changed' | 'full'>
  /** A user's, the newest first, also those of ended sessions. */
  listOf(userId: string): Promise<SubscriptionRecord[]>
  setRetryAt(id: string, retryAt: number): Promise<void>
  remove(id: string): Promise<void>
  removeOfSessions(sessionIds: readonly string[]): Promise<void>
}
