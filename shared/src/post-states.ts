/** The states of a post, in the order in which admins list them. A scheduled post becomes published at its time. */
export const POST_STATES = ['draft', 'scheduled', 'published'] as const

export type PostState = (typeof POST_STATES)[number]
