/** REST paths under API_PREFIX for the widget's languages. Only the settings' page needs them. */
export const languagePaths = {
  languages: '/languages',
  language: (tag: string) => `/languages/${encodeURIComponent(tag)}`,
} as const
