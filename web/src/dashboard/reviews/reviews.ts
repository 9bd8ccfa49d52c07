/** Key of every list of reviews that visitors can see. */
export const REVIEWS = ['reviews'] as const
/** Key of those that wait for an admin. */
export const PENDING_REVIEWS = ['pending-reviews'] as const
