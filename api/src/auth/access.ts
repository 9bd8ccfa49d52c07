import type { AdminCommands, Side, VisitorCommands } from '@proctorpass/shared/events'
import { ADMIN_NAMESPACE, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'

/**
 * The permissions of each route and each command of the hub. The router refuses to start with a route that has no row,
 * and `admin` rows are enforced from this table.
 *
 * - `anyone`: no identity is checked.
 * - `browser`: a cookie identifies the caller, so calls from foreign sites are refused.
 * - `visitor`: holders of a key of the clientId's conversation, by `Authorization: Visitor`; while it has no key,
 *   everyone who knows the clientId. With `Authorization: Bearer`, an admin. A bad header is refused: it never falls
 *   back to a visitor without a key.
 * - `admin`: a living session whose user has the role Admin.
 * - `link`: holders of the token of a mailed link, from any site: apps that show mail call it.
 * - `operator`: a caller with METRICS_TOKEN; without that variable the route does not exist.
 *
 * `{api}` stands for API_PREFIX.
 */
export type Access = 'anyone' | 'browser' | 'visitor' | 'admin' | 'link' | 'operator'

export const ROUTE_ACCESS: Readonly<Record<string, Access>> = {
  'GET /healthz': 'anyone',
  'GET /readyz': 'anyone',
  'GET /metrics': 'operator',
  'GET /.well-known/security.txt': 'anyone',

  'GET {api}/config': 'anyone',
  'POST {api}/csp-report': 'anyone',

  'POST {api}/auth': 'browser',
  'GET {api}/auth/refresh/:userId': 'browser',
  'POST {api}/auth/logout': 'browser',

  'GET {api}/chat': 'admin',
  'GET {api}/chat/unread/count': 'admin',
  'GET {api}/chat/counts': 'admin',
  'GET {api}/chat/labels': 'admin',
  'GET {api}/chat/updates': 'admin',
  'POST {api}/chat/updates/seen': 'admin',
  'GET {api}/chat/admin/:clientId': 'admin',
  'PATCH {api}/chat/admin/:clientId': 'admin',
  'GET {api}/chat/admin/:clientId/summary': 'admin',
  'GET {api}/chat/admin/:clientId/activity': 'admin',
  'POST {api}/chat/admin/:clientId/notes': 'admin',
  'POST {api}/chat/admin/bulk': 'admin',
  'POST {api}/chat/admin/:clientId/read': 'admin',
  'GET {api}/chat/admin/:clientId/visitor': 'admin',
  'PATCH {api}/chat/admin/:clientId/visitor': 'admin',
  'POST {api}/chat/admin/:clientId/block': 'admin',
  'DELETE {api}/chat/admin/:clientId/block': 'admin',
  'DELETE {api}/chat/admin/:clientId': 'admin',
  'POST {api}/chat/admin/:clientId/files': 'admin',
  'GET {api}/chat/admin/:clientId/files/:id': 'admin',
  'POST {api}/chat': 'visitor',
  'GET {api}/chat/:clientId': 'visitor',
  'DELETE {api}/chat/:clientId': 'visitor',
  'POST {api}/chat/:clientId/read': 'visitor',
  'PATCH {api}/chat/:clientId/profile': 'visitor',
  'POST {api}/chat/:clientId/rating': 'visitor',
  'GET {api}/chat/:clientId/export': 'visitor',
  'POST {api}/chat/:clientId/files': 'visitor',
  'GET {api}/chat/:clientId/files/:id': 'visitor',
  // The token of a mailed link is the credential here too, but only our own page sends it.
  'POST {api}/chat/resume': 'anyone',
  'POST {api}/chat/subscribe': 'anyone',
  'GET {api}/chat/unsubscribe/:token': 'link',
  'POST {api}/chat/unsubscribe/:token': 'link',

  'GET {api}/blogs': 'anyone',
  'GET {api}/blogs/one/:slug': 'anyone',
  'GET {api}/blogs/id/:id': 'admin',
  'POST {api}/blogs/preview': 'admin',
  'POST {api}/blogs': 'admin',
  'PATCH {api}/blogs/:id': 'admin',
  'DELETE {api}/blogs/:id': 'admin',

  'POST {api}/uploads': 'admin',
  'GET /uploads/:name': 'anyone',

  'GET {api}/reviews': 'anyone',
  'GET {api}/reviews/one/:id': 'anyone',
  'POST {api}/reviews/submit': 'anyone',
  'GET {api}/reviews/pending': 'admin',
  'POST {api}/reviews': 'admin',
  'POST {api}/reviews/:id/approve': 'admin',
  'PATCH {api}/reviews/:id': 'admin',
  'DELETE {api}/reviews/:id': 'admin',

  'POST {api}/contacts': 'anyone',
  'GET {api}/contacts': 'admin',
  'GET {api}/contacts/:id': 'admin',
  'PATCH {api}/contacts/:id': 'admin',
  'DELETE {api}/contacts/:id': 'admin',

  'GET {api}/replies': 'admin',
  'POST {api}/replies': 'admin',
  'PATCH {api}/replies/:id': 'admin',
  'DELETE {api}/replies/:id': 'admin',

  'GET {api}/search': 'admin',

  'GET {api}/settings': 'admin',
  'PUT {api}/settings': 'admin',

  'GET {api}/sites': 'admin',
  'POST {api}/sites': 'admin',
  'PATCH {api}/sites/:id': 'admin',
  'DELETE {api}/sites/:id': 'admin',
  'POST {api}/sites/:id/secrets': 'admin',
  'DELETE {api}/sites/:id/secrets/:secretId': 'admin',

  'GET {api}/team': 'admin',
  'POST {api}/team': 'admin',
  'PATCH {api}/team/:userId': 'admin',
  'DELETE {api}/team/:userId': 'admin',
  'POST {api}/invite': 'browser',
  'POST {api}/invite/name': 'anyone',
  'GET {api}/account': 'admin',
  'PATCH {api}/account': 'admin',
  'POST {api}/account/password': 'admin',
  'GET {api}/account/sessions': 'admin',
  'DELETE {api}/account/sessions/:id': 'admin',
  'GET {api}/push/key': 'admin',
  'GET {api}/account/push': 'admin',
  'POST {api}/account/push': 'admin',
  'DELETE {api}/account/push': 'admin',
  'POST {api}/account/push/test': 'admin',
  'DELETE {api}/demo': 'admin',

  'GET /*': 'anyone',
  'POST /': 'anyone',
  'POST /contact': 'anyone',
  'POST /reviews': 'anyone',

  'GET /docs': 'anyone',
  'GET /docs/*': 'anyone',
}

type CommandRows<Commands> = { readonly [Command in keyof Commands]: Side }

/** Commands of the hub, by namespace: the hub refuses callers of the other side. */
export const COMMAND_ACCESS: {
  readonly [VISITOR_NAMESPACE]: CommandRows<VisitorCommands>
  readonly [ADMIN_NAMESPACE]: CommandRows<AdminCommands>
} = {
  [VISITOR_NAMESPACE]: {
    'message:send': 'visitor',
    'conversation:sync': 'visitor',
    'conversation:read': 'visitor',
    'typing:set': 'visitor',
  },
  [ADMIN_NAMESPACE]: {
    'message:send': 'admin',
    'conversation:sync': 'admin',
    'conversation:read': 'admin',
    'typing:set': 'admin',
    'viewing:set': 'admin',
  },
}

/** The row of a command. Throws when there is none. */
export function commandAccess(namespace: string, command: string): Side {
  const rows: Readonly<Record<string, Readonly<Record<string, Side>>>> = COMMAND_ACCESS
  const side = rows[namespace]?.[command]
  if (side === undefined) throw new Error(`${namespace} ${command} has no row in access.ts: add its side.`)
  return side
}

/** The access of a route; HEAD counts as GET. Throws when it has no row. */
export function accessOf(method: string, url: string, apiPrefix: string): Access {
  const path =
    apiPrefix !== '' && url.startsWith(`${apiPrefix}/`) ? `{api}${url.slice(apiPrefix.length)}` : url
  const verb = method === 'HEAD' ? 'GET' : method
  const access =
    ROUTE_ACCESS[`${verb} ${path}`] ?? (apiPrefix === '' ? ROUTE_ACCESS[`${verb} {api}${url}`] : undefined)
  if (access === undefined) throw new Error(`${verb} ${path} has no row in access.ts: add its access.`)
  return access
}
