/** Paths of the REST API behind mailed links. Apart from the others, because every page loads those. */
export const mailedLinkPaths = {
  resume: '/chat/resume',
  subscribe: '/chat/subscribe',
  unsubscribe: (token: string) => `/chat/unsubscribe/${encodeURIComponent(token)}`,
} as const
