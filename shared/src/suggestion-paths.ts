/** Paths of the REST API for suggestions. Apart from the others, because every page loads those. */
export const suggestionPaths = {
  posts: '/suggestions',
  opened: '/suggestions/opened',
  asked: '/suggestions/asked',
} as const
