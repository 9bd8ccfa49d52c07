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
  blogs: '/blogs',
  blog: (slug: string) => `/blogs/one/${encodeURIComponent(slug)}`,
  reviews: '/reviews',
  review: (id: string) => `/reviews/one/${encodeURIComponent(id)}`,
  contacts: '/contacts',
} as const

/** Where the hub lives. */
export const SOCKET_PATH = '/socket.io'
export const VISITOR_NAMESPACE = '/visitor'
export const ADMIN_NAMESPACE = '/admin'
