/**
 * REST paths under API_PREFIX that only admins call. They have their own file, so that visitors' pages do not contain
 * them. The paths that the dashboard needs on only one page are in `account-paths.ts` and `integration-paths.ts`.
 */
export const adminPaths = {
  adminConversation: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}`,
  adminConversationRead: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/read`,
  unreadCount: '/chat/unread/count',
  chatCounts: '/chat/counts',
  chatLabels: '/chat/labels',
  chatUpdates: '/chat/updates',
  chatUpdatesSeen: '/chat/updates/seen',
  chatBulk: '/chat/admin/bulk',
  conversationUnseen: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/unseen`,
  conversationSummary: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/summary`,
  conversationActivity: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/activity`,
  mailToMessage: (clientId: string, n: number) =>
    `/chat/admin/${encodeURIComponent(clientId)}/activity/${n}/message`,
  message: (clientId: string, seq: number) => `/chat/admin/${encodeURIComponent(clientId)}/messages/${seq}`,
  conversationNotes: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/notes`,
  conversationScheduled: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/scheduled`,
  scheduled: (clientId: string, id: string) =>
    `/chat/admin/${encodeURIComponent(clientId)}/scheduled/${encodeURIComponent(id)}`,
  scheduledSend: (clientId: string, id: string) =>
    `/chat/admin/${encodeURIComponent(clientId)}/scheduled/${encodeURIComponent(id)}/send`,
  conversationVisitor: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/visitor`,
  conversationBlock: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/block`,
  audit: '/audit',
  auditCsv: '/audit.csv',
  settings: '/settings',
  version: '/version',
  /** Changes or deletes a post by its ID, because its slug can change. */
  blogById: (id: string) => `/blogs/${encodeURIComponent(id)}`,
  /** Reads a post by its ID, because its slug can change. */
  blogOfId: (id: string) => `/blogs/id/${encodeURIComponent(id)}`,
  blogPreview: '/blogs/preview',
  previewLink: (id: string) => `/blogs/${encodeURIComponent(id)}/preview-link`,
  reviewById: (id: string) => `/reviews/${encodeURIComponent(id)}`,
  reviewsPending: '/reviews/pending',
  reviewApprove: (id: string) => `/reviews/${encodeURIComponent(id)}/approve`,
  contact: (id: string) => `/contacts/${encodeURIComponent(id)}`,
  replies: '/replies',
  reply: (id: string) => `/replies/${encodeURIComponent(id)}`,
  sites: '/sites',
  site: (id: string) => `/sites/${encodeURIComponent(id)}`,
  siteSecrets: (id: string) => `/sites/${encodeURIComponent(id)}/secrets`,
  siteTest: (id: string) => `/sites/${encodeURIComponent(id)}/test`,
  siteTestResult: (id: string, token: string) => `/sites/${encodeURIComponent(id)}/test/${token}`,
  siteSecret: (id: string, secretId: string) =>
    `/sites/${encodeURIComponent(id)}/secrets/${encodeURIComponent(secretId)}`,
  reports: '/reports',
  reportsCsv: '/reports.csv',
  reportConversations: '/reports/conversations',
  reportNow: '/reports/now',
  search: '/search',
  savedSearches: '/account/searches',
  savedSearch: (id: string) => `/account/searches/${encodeURIComponent(id)}`,
  team: '/team',
  teamAdmin: (userId: string) => `/team/${encodeURIComponent(userId)}`,
  demo: '/demo',
} as const
