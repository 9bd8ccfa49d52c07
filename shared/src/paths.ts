/** REST paths under API_PREFIX. Values come encoded. */
export const paths = {
  auth: '/auth',
  refresh: (userId: string) => `/auth/refresh/${encodeURIComponent(userId)}`,
  logout: '/auth/logout',
  config: '/config',
  chat: '/chat',
  conversation: (clientId: string) => `/chat/${encodeURIComponent(clientId)}`,
  conversationRead: (clientId: string) => `/chat/${encodeURIComponent(clientId)}/read`,
  adminConversation: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}`,
  adminConversationRead: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/read`,
  unreadCount: '/chat/unread/count',
  conversationProfile: (clientId: string) => `/chat/${encodeURIComponent(clientId)}/profile`,
  conversationFiles: (clientId: string) => `/chat/${encodeURIComponent(clientId)}/files`,
  conversationFile: (clientId: string, id: string) =>
    `/chat/${encodeURIComponent(clientId)}/files/${encodeURIComponent(id)}`,
  conversationRating: (clientId: string) => `/chat/${encodeURIComponent(clientId)}/rating`,
  conversationExport: (clientId: string) => `/chat/${encodeURIComponent(clientId)}/export`,
  chatResume: '/chat/resume',
  chatUnsubscribe: (token: string) => `/chat/unsubscribe/${encodeURIComponent(token)}`,
  blogs: '/blogs',
  blog: (slug: string) => `/blogs/one/${encodeURIComponent(slug)}`,
  /** To change or delete a post, whose slug may change. */
  blogById: (id: string) => `/blogs/${encodeURIComponent(id)}`,
  reviews: '/reviews',
  review: (id: string) => `/reviews/one/${encodeURIComponent(id)}`,
  reviewById: (id: string) => `/reviews/${encodeURIComponent(id)}`,
  reviewSubmit: '/reviews/submit',
  contacts: '/contacts',
  contact: (id: string) => `/contacts/${encodeURIComponent(id)}`,
  uploads: '/uploads',
  invite: '/invite',
} as const

/** The same that only admins call. Apart, so that pages of visitors do not contain them. */
export const adminPaths = {
  chatCounts: '/chat/counts',
  chatLabels: '/chat/labels',
  chatBulk: '/chat/admin/bulk',
  conversationSummary: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/summary`,
  conversationActivity: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/activity`,
  conversationNotes: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/notes`,
  conversationVisitor: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/visitor`,
  adminConversationFiles: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/files`,
  adminConversationFile: (clientId: string, id: string) =>
    `/chat/admin/${encodeURIComponent(clientId)}/files/${encodeURIComponent(id)}`,
  conversationBlock: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/block`,
  settings: '/settings',
  pushKey: '/push/key',
  accountPush: '/account/push',
  accountPushTest: '/account/push/test',
  /** To read a post whose slug has changed. */
  blogOfId: (id: string) => `/blogs/id/${encodeURIComponent(id)}`,
  blogPreview: '/blogs/preview',
  reviewsPending: '/reviews/pending',
  reviewApprove: (id: string) => `/reviews/${encodeURIComponent(id)}/approve`,
  replies: '/replies',
  reply: (id: string) => `/replies/${encodeURIComponent(id)}`,
  search: '/search',
  team: '/team',
  teamAdmin: (userId: string) => `/team/${encodeURIComponent(userId)}`,
  account: '/account',
  accountPassword: '/account/password',
  accountSessions: '/account/sessions',
  accountSession: (id: string) => `/account/sessions/${encodeURIComponent(id)}`,
  demo: '/demo',
} as const

/** Uploaded files are served below this, at the root. */
export const UPLOADS_PATH = '/uploads'

/** The path of the hub. */
export const SOCKET_PATH = '/socket.io'
export const VISITOR_NAMESPACE = '/visitor'
export const ADMIN_NAMESPACE = '/admin'
