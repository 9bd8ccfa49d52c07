/** Query key of every list of published reviews. */
export const REVIEWS = ['reviews'] as const
/** Query key of the reviews that wait for approval. */
export const PENDING_REVIEWS = ['pending-reviews'] as const
