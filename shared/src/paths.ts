/** REST paths under API_PREFIX. The functions encode their values. */
export const paths = {
  auth: '/auth',
  refresh: (userId: string) => `/auth/refresh/${encodeURIComponent(userId)}`,
  logout: '/auth/logout',
  factor: '/auth/factor',
  config: '/config',
  chat: '/chat',
  conversation: (clientId: string) => `/chat/${encodeURIComponent(clientId)}`,
  conversationProfile: (clientId: string) => `/chat/${encodeURIComponent(clientId)}/profile`,
  conversationFiles: (clientId: string) => `/chat/${encodeURIComponent(clientId)}/files`,
  conversationFile: (clientId: string, id: string) =>
    `/chat/${encodeURIComponent(clientId)}/files/${encodeURIComponent(id)}`,
  adminConversationFiles: (clientId: string) => `/chat/admin/${encodeURIComponent(clientId)}/files`,
  adminConversationFile: (clientId: string, id: string) =>
    `/chat/admin/${encodeURIComponent(clientId)}/files/${encodeURIComponent(id)}`,
  conversationRating: (clientId: string) => `/chat/${encodeURIComponent(clientId)}/rating`,
  conversationExport: (clientId: string) => `/chat/${encodeURIComponent(clientId)}/export`,
  blogs: '/blogs',
  blog: (slug: string) => `/blogs/one/${encodeURIComponent(slug)}`,
  reviews: '/reviews',
  reviewSubmit: '/reviews/submit',
  contacts: '/contacts',
  uploads: '/uploads',
  invite: '/invite',
} as const

/** The root path below which a site's loader and frame are served. */
export const EMBED_PATH = '/embed'

/** The root path below which uploaded files are served. */
export const UPLOADS_PATH = '/uploads'

/** The hub's path. */
export const SOCKET_PATH = '/socket.io'
export const VISITOR_NAMESPACE = '/visitor'
export const ADMIN_NAMESPACE = '/admin'
