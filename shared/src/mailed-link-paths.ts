/** Paths of the REST API behind mailed links. They have their own file, because every page loads the other paths. */
export const mailedLinkPaths = {
  resume: '/chat/resume',
  subscribe: '/chat/subscribe',
  unsubscribe: (token: string) => `/chat/unsubscribe/${encodeURIComponent(token)}`,
} as const
