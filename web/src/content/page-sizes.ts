/** How many a page of a list holds. */
export const PAGE_SIZE = 15
export const SIDEBAR_SIZE = 7
export const HOME_BLOGS = 1
export const HOME_REVIEWS = 4
/** Characters of a summary that lists show. */
export const SUMMARY_PREVIEW = 150
