/** Items per page of a list. */
export const PAGE_SIZE = 15
export const SIDEBAR_SIZE = 7
export const HOME_BLOGS = 3
export const HOME_REVIEWS = 4
/** Characters of a summary in lists. */
export const SUMMARY_PREVIEW = 150
