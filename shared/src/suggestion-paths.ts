/** Paths of the REST API for suggestions. They have their own file, because every page loads the other paths. */
export const suggestionPaths = {
  pages: (lang: string) => `/suggestions${lang === 'en' ? '' : `?lang=${encodeURIComponent(lang)}`}`,
  opened: '/suggestions/opened',
  asked: '/suggestions/asked',
} as const
