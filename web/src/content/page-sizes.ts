/** The number of items on a list's page. */
export const PAGE_SIZE = 15
export const SIDEBAR_SIZE = 7
export const HOME_BLOGS = 3
export const HOME_REVIEWS = 4
/** The number of a summary's characters in lists. */
export const SUMMARY_PREVIEW = 150
