import type { AdminCommands, Side, VisitorCommands } from '@proctorpass/shared/events'
import { ADMIN_NAMESPACE, VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import type { KeyScope } from '@proctorpass/shared/schemas/key'

/**
 * The permissions of each route and each command of the hub. The router refuses to start with a route that has no row,
 * and `authenticate.ts` enforces `admin` rows from this table.
 *
 * - `anyone`: no identity is checked.
 * - `browser`: a cookie identifies the caller, so calls from foreign sites are refused.
 * - `visitor`: the caller holds a key of the clientId's conversation, sent by `Authorization: Visitor`; while the
 *   conversation has no key, everyone who knows the clientId may call. With `Authorization: Bearer` the caller is an
 *   admin. A bad header is refused: it never falls back to a visitor without a key.
 * - `frame`: only scripts of our own pages may call, which include a site's frame. A foreign Origin or Sec-Fetch-Site
 *   is refused, and so is a call without both.
 * - `admin`: the caller has a living session, and its user has the role Admin.
 * - `, key:SCOPE` after `admin` or `visitor`: an API key with that scope may call in an admin's place. Rows without it
 *   refuse keys.
 * - `link`: the caller holds the token of a mailed link or of a preview, and may call from any site, because apps that
 *   show mail do.
 * - `operator`: the caller has METRICS_TOKEN (without that variable the route does not exist), or is the doctor.
 *
 * `{api}` stands for API_PREFIX.
 */
export type Access = 'anyone' | 'browser' | 'frame' | 'visitor' | 'admin' | 'link' | 'operator'

type Row = Access | `${'admin' | 'visitor'}, key:${KeyScope}`

export const ROUTE_ACCESS: Readonly<Record<string, Row>> = {
  'GET /healthz': 'anyone',
  'GET /readyz': 'anyone',
  'GET /metrics': 'operator',
  'GET /.well-known/security.txt': 'anyone',

  'GET /words/:file': 'anyone',

  'GET /embed/:site.js': 'anyone',
  'GET /embed/:site': 'anyone',

  'GET {api}/config': 'anyone',
  'GET {api}/version': 'admin',
  'POST {api}/probe': 'operator',
  'PATCH {api}/probe': 'operator',
  'DELETE {api}/probe': 'operator',
  'POST {api}/csp-report': 'anyone',

  'POST {api}/auth': 'browser',
  'GET {api}/auth/refresh/:userId': 'browser',
  'POST {api}/auth/logout': 'browser',
  'POST {api}/auth/factor': 'browser',
  'POST {api}/auth/confirm': 'admin',
  'POST {api}/auth/passkey/options': 'browser',
  'POST {api}/auth/passkey': 'browser',

  'GET {api}/chat': 'admin, key:read',
  'GET {api}/chat/unread/count': 'admin, key:read',
  'GET {api}/chat/counts': 'admin, key:read',
  'GET {api}/chat/labels': 'admin, key:read',
  'GET {api}/chat/updates': 'admin',
  'POST {api}/chat/updates/seen': 'admin',
  'GET {api}/chat/admin/:clientId': 'admin, key:read',
  'PATCH {api}/chat/admin/:clientId': 'admin, key:write',
  'PATCH {api}/chat/admin/:clientId/messages/:seq': 'admin, key:write',
  'GET {api}/chat/admin/:clientId/summary': 'admin, key:read',
  'POST {api}/chat/admin/:clientId/unseen': 'admin',
  'GET {api}/chat/admin/:clientId/activity': 'admin, key:read',
  'POST {api}/chat/admin/:clientId/activity/:n/message': 'admin',
  'POST {api}/chat/admin/:clientId/notes': 'admin, key:write',
  'GET {api}/chat/admin/:clientId/scheduled': 'admin, key:read',
  'POST {api}/chat/admin/:clientId/scheduled': 'admin, key:write',
  'PATCH {api}/chat/admin/:clientId/scheduled/:id': 'admin, key:write',
  'DELETE {api}/chat/admin/:clientId/scheduled/:id': 'admin, key:write',
  'POST {api}/chat/admin/:clientId/scheduled/:id/send': 'admin, key:write',
  'POST {api}/chat/admin/bulk': 'admin, key:write',
  'POST {api}/chat/admin/:clientId/read': 'admin, key:write',
  'GET {api}/chat/admin/:clientId/visitor': 'admin, key:read',
  'PATCH {api}/chat/admin/:clientId/visitor': 'admin, key:write',
  'POST {api}/chat/admin/:clientId/block': 'admin, key:write',
  'DELETE {api}/chat/admin/:clientId/block': 'admin, key:write',
  'DELETE {api}/chat/admin/:clientId': 'admin',
  'POST {api}/chat/admin/:clientId/files': 'admin, key:write',
  'GET {api}/chat/admin/:clientId/files/:id': 'admin, key:read',
  'POST {api}/chat': 'visitor, key:write',
  'GET {api}/chat/:clientId': 'visitor, key:read',
  'DELETE {api}/chat/:clientId': 'visitor',
  'POST {api}/chat/:clientId/read': 'visitor',
  'PATCH {api}/chat/:clientId/profile': 'visitor',
  'POST {api}/chat/:clientId/rating': 'visitor',
  'GET {api}/chat/:clientId/export': 'visitor',
  'POST {api}/chat/:clientId/files': 'visitor',
  'GET {api}/chat/:clientId/files/:id': 'visitor, key:read',
  // The token of a mailed link is the credential here too, but only our own page sends it.
  'POST {api}/chat/resume': 'anyone',
  'POST {api}/chat/subscribe': 'anyone',
  'GET {api}/account/weekly/unsubscribe/:token': 'link',
  'POST {api}/account/weekly/unsubscribe/:token': 'link',
  'GET {api}/chat/unsubscribe/:token': 'link',
  'POST {api}/chat/unsubscribe/:token': 'link',

  'POST /embed/:site/remember': 'frame',
  'DELETE /embed/:site/remember': 'frame',
  'POST /embed/:site/restore': 'frame',
  'POST /embed/:site/identify': 'frame',
  'POST /embed/:site/test': 'frame',

  'GET {api}/blogs': 'anyone',
  'GET {api}/texts/:key/page': 'anyone',
  'GET {api}/suggestions': 'anyone',
  'POST {api}/suggestions/opened': 'frame',
  'POST {api}/suggestions/asked': 'frame',
  'GET {api}/suggestions/answered': 'admin, key:read',
  'GET {api}/blogs/one/:slug': 'anyone',
  'GET {api}/blogs/preview/:token': 'link',
  'GET {api}/blogs/id/:id': 'admin, key:content',
  'POST {api}/blogs/preview': 'admin, key:content',
  'POST {api}/blogs': 'admin, key:content',
  'PATCH {api}/blogs/:id': 'admin, key:content',
  'DELETE {api}/blogs/:id': 'admin, key:content',
  'POST {api}/blogs/:id/preview-link': 'admin, key:content',
  'DELETE {api}/blogs/:id/preview-link': 'admin, key:content',

  'GET {api}/blogs/:id/versions': 'admin, key:content',
  'GET {api}/blogs/:id/versions/:n': 'admin, key:content',
  'POST {api}/blogs/:id/versions/:n/restore': 'admin, key:content',

  'GET {api}/texts': 'admin, key:content',
  'GET {api}/texts/:key': 'anyone',
  'PUT {api}/texts/:key': 'admin, key:content',
  'DELETE {api}/texts/:key': 'admin, key:content',
  'GET {api}/texts/:key/versions': 'admin, key:content',
  'GET {api}/texts/:key/versions/:n': 'admin, key:content',
  'POST {api}/texts/:key/versions/:n/restore': 'admin, key:content',
  'GET {api}/faq': 'anyone',
  'POST {api}/faq': 'admin, key:content',
  'PUT {api}/faq/order': 'admin, key:content',
  'DELETE {api}/faq/order': 'admin, key:content',
  'PATCH {api}/faq/:id': 'admin, key:content',
  'DELETE {api}/faq/:id': 'admin, key:content',
  'POST {api}/faq/:id/restore': 'admin, key:content',

  'POST {api}/uploads': 'admin, key:content',
  'GET /uploads/:name': 'anyone',

  'GET {api}/reviews': 'anyone',
  'GET {api}/reviews/one/:id': 'anyone',
  'POST {api}/reviews/submit': 'anyone',
  'GET {api}/reviews/pending': 'admin, key:content',
  'POST {api}/reviews': 'admin, key:content',
  'POST {api}/reviews/:id/approve': 'admin, key:content',
  'PATCH {api}/reviews/:id': 'admin, key:content',
  'DELETE {api}/reviews/:id': 'admin, key:content',

  'POST {api}/contacts': 'anyone',
  'GET {api}/contacts': 'admin, key:read',
  'GET {api}/contacts/:id': 'admin, key:read',
  'PATCH {api}/contacts/:id': 'admin, key:write',
  'DELETE {api}/contacts/:id': 'admin',

  'GET {api}/replies': 'admin, key:write',
  'POST {api}/replies': 'admin, key:write',
  'PATCH {api}/replies/:id': 'admin, key:write',
  'DELETE {api}/replies/:id': 'admin, key:write',

  'GET {api}/search': 'admin, key:read',

  'GET {api}/reports': 'admin, key:read',
  'GET {api}/reports.csv': 'admin, key:read',
  'GET {api}/reports/conversations': 'admin, key:read',
  'GET {api}/reports/now': 'admin, key:read',

  'GET {api}/languages': 'admin, key:content',
  'GET {api}/languages/:tag': 'admin, key:content',
  'PUT {api}/languages/:tag': 'admin, key:content',
  'DELETE {api}/languages/:tag': 'admin, key:content',

  'GET {api}/settings': 'admin',
  'PUT {api}/settings': 'admin',

  'GET {api}/sites': 'admin',
  'POST {api}/sites': 'admin',
  'PATCH {api}/sites/:id': 'admin',
  'DELETE {api}/sites/:id': 'admin',
  'POST {api}/sites/:id/secrets': 'admin',
  'DELETE {api}/sites/:id/secrets/:secretId': 'admin',
  'POST {api}/sites/:id/test': 'admin',
  'GET {api}/sites/:id/test/:token': 'admin',

  'GET {api}/audit': 'admin',
  'GET {api}/audit.csv': 'admin',

  'GET {api}/team': 'admin, key:read',
  'POST {api}/team': 'admin',
  'PATCH {api}/team/:userId': 'admin',
  'DELETE {api}/team/:userId': 'admin',
  'POST {api}/invite': 'browser',
  'POST {api}/invite/name': 'anyone',
  'GET {api}/account': 'admin',
  'PATCH {api}/account': 'admin',
  'PUT {api}/account/face': 'admin',
  'DELETE {api}/account/face': 'admin',
  'POST {api}/account/password': 'admin',
  'GET {api}/account/factors': 'admin',
  'POST {api}/account/totp': 'admin',
  'POST {api}/account/totp/confirm': 'admin',
  'DELETE {api}/account/totp': 'admin',
  'POST {api}/account/recovery': 'admin',
  'POST {api}/account/passkeys/options': 'admin',
  'POST {api}/account/passkeys': 'admin',
  'PATCH {api}/account/passkeys/:id': 'admin',
  'DELETE {api}/account/passkeys/:id': 'admin',
  'GET {api}/account/sessions': 'admin',
  'DELETE {api}/account/sessions/:id': 'admin',
  'GET {api}/account/searches': 'admin',
  'POST {api}/account/searches': 'admin',
  'DELETE {api}/account/searches/:id': 'admin',
  'GET {api}/events': 'admin, key:read',
  'GET {api}/endpoints': 'admin',
  'POST {api}/endpoints': 'admin',
  'PATCH {api}/endpoints/:id': 'admin',
  'DELETE {api}/endpoints/:id': 'admin',
  'POST {api}/endpoints/:id/secret': 'admin',
  'POST {api}/endpoints/:id/test': 'admin',
  'POST {api}/endpoints/:id/replay': 'admin',
  'GET {api}/endpoints/:id/deliveries': 'admin',

  'GET {api}/keys': 'admin',
  'POST {api}/keys': 'admin',
  'DELETE {api}/keys/:id': 'admin',
  'GET {api}/push/key': 'admin',
  'GET {api}/account/push': 'admin',
  'POST {api}/account/push': 'admin',
  'DELETE {api}/account/push': 'admin',
  'POST {api}/account/push/test': 'admin',
  'DELETE {api}/demo': 'admin, key:content',

  'GET /*': 'anyone',
  'POST /': 'anyone',
  'POST /contact': 'anyone',
  'POST /reviews': 'anyone',

  'GET /docs': 'anyone',
  'GET /docs/*': 'anyone',
}

/**
 * The routes that anyone may call, but with this parameter in the query only callers with this row: drafts and scheduled
 * posts are read by their state.
 */
const ADMIN_QUERIES: Readonly<Record<string, AdminQuery>> = {
  'GET {api}/blogs': { parameter: 'state', keyScope: 'content' },
  'GET {api}/blogs/one/:slug': { parameter: 'state', keyScope: 'content' },
}

export interface AdminQuery {
  parameter: string
  keyScope: KeyScope
}

/**
 * The routes that ask admins to confirm who they are, with 403 `confirm-required`. They erase or export, or decide who
 * may come in, so a stolen session must not be enough for them. `always`: the route asks unless the session was
 * confirmed in the last 15 minutes, by signing in or by `POST {api}/auth/confirm`. `in part`: the use case asks for a
 * part of what the route changes. Visitors and API keys are not asked, because they have nothing else to prove.
 */
export const CONFIRMED_ROUTES: Readonly<Record<string, 'always' | 'in part'>> = {
  'DELETE {api}/chat/admin/:clientId': 'always',
  'DELETE {api}/chat/:clientId': 'always',
  'GET {api}/chat/:clientId/export': 'always',
  'GET {api}/audit.csv': 'always',
  'GET {api}/reports.csv': 'always',
  'DELETE {api}/demo': 'always',

  // The settings that say how long conversations are kept, and whether every admin needs a second factor.
  'PUT {api}/settings': 'in part',
  // The email address.
  'PATCH {api}/account': 'in part',
  // Devices that show what visitors write.
  'POST {api}/account/push': 'in part',

  'POST {api}/keys': 'always',
  'DELETE {api}/keys/:id': 'always',
  'POST {api}/endpoints': 'always',
  'PATCH {api}/endpoints/:id': 'always',
  'DELETE {api}/endpoints/:id': 'always',
  'POST {api}/endpoints/:id/secret': 'always',
  'POST {api}/endpoints/:id/replay': 'always',
  'POST {api}/sites': 'always',
  // The pages that may show the chat.
  'PATCH {api}/sites/:id': 'in part',
  'DELETE {api}/sites/:id': 'always',
  'POST {api}/sites/:id/secrets': 'always',
  'DELETE {api}/sites/:id/secrets/:secretId': 'always',

  'POST {api}/team': 'always',
  'PATCH {api}/team/:userId': 'always',
  'DELETE {api}/team/:userId': 'always',
  'POST {api}/account/totp': 'always',
  'POST {api}/account/totp/confirm': 'always',
  'DELETE {api}/account/totp': 'always',
  'POST {api}/account/recovery': 'always',
  'POST {api}/account/passkeys/options': 'always',
  'POST {api}/account/passkeys': 'always',
  'PATCH {api}/account/passkeys/:id': 'always',
  'DELETE {api}/account/passkeys/:id': 'always',
}

/**
 * The routes that an admin without a second factor can still call while every admin needs one: they set it up. Signing
 * out needs no row.
 */
export const FACTOR_SETUP_ROUTES: ReadonlySet<string> = new Set([
  'POST {api}/auth/confirm',
  'GET {api}/account',
  'GET {api}/account/factors',
  'POST {api}/account/totp',
  'POST {api}/account/totp/confirm',
  'POST {api}/account/passkeys/options',
  'POST {api}/account/passkeys',
])

type CommandRows<Commands> = { readonly [Command in keyof Commands]: Side }

/** The hub's commands by namespace. The hub refuses callers of the other side. */
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

/** Returns a command's row. Throws if there is none. */
export function commandAccess(namespace: string, command: string): Side {
  const rows: Readonly<Record<string, Readonly<Record<string, Side>>>> = COMMAND_ACCESS
  const side = rows[namespace]?.[command]
  if (side === undefined) throw new Error(`${namespace} ${command} has no row in access.ts: add its side.`)
  return side
}

/**
 * Returns a route's access, the scope that an API key needs (null where keys are refused), whether an admin must have
 * confirmed, whether the route sets up a second factor, and its row in ADMIN_QUERIES, or null. HEAD counts as GET. Throws
 * if the route has no row.
 */
export function accessOf(method: string, url: string, apiPrefix: string): RouteAccess {
  const path =
    apiPrefix !== '' && url.startsWith(`${apiPrefix}/`) ? `{api}${url.slice(apiPrefix.length)}` : url
  const verb = method === 'HEAD' ? 'GET' : method
  const plain = `${verb} ${path}`
  const route = plain in ROUTE_ACCESS || apiPrefix !== '' ? plain : `${verb} {api}${url}`
  const row = ROUTE_ACCESS[route]
  if (row === undefined) throw new Error(`${verb} ${path} has no row in access.ts: add its access.`)
  const [access, keyScope = null] = row.split(', key:') as [Access, KeyScope?]
  const confirmed = CONFIRMED_ROUTES[route] === 'always'
  const setsUpFactor = FACTOR_SETUP_ROUTES.has(route)
  return { access, keyScope, confirmed, setsUpFactor, adminQuery: ADMIN_QUERIES[route] ?? null }
}

interface RouteAccess {
  access: Access
  keyScope: KeyScope | null
  confirmed: boolean
  setsUpFactor: boolean
  adminQuery: AdminQuery | null
}
