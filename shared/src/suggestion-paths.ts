/** Paths of the REST API for suggestions. They have their own file, because every page loads the other paths. */
export const suggestionPaths = {
  posts: '/suggestions',
  opened: '/suggestions/opened',
  asked: '/suggestions/asked',
} as const
