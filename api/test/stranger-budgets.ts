/** What 1,000 calls of one route by one address may cost, with limits on. */
export interface Budget {
  /** KB of log. */
  log: number
  /** KB of the database and of files. */
  disk: number
  /** Milliseconds of the processor, as `npm run bench -- --only strangers/routes` printed them. No test asserts them. */
  cpu: number
}

/** By rows of ROUTE_ACCESS that strangers may call. */
export const ROUTE_BUDGETS: Readonly<Record<string, Budget>> = {
  'GET /healthz': { log: 0, disk: 0, cpu: 200 },
  'GET /readyz': { log: 0, disk: 0, cpu: 150 },
  'GET /.well-known/security.txt': { log: 0, disk: 0, cpu: 100 },
  'GET /embed/:site.js': { log: 0, disk: 0, cpu: 200 },
  'GET /embed/:site': { log: 0, disk: 0, cpu: 100 },
  'GET {api}/config': { log: 0, disk: 0, cpu: 150 },
  'POST {api}/csp-report': { log: 20, disk: 0, cpu: 200 },
  'POST {api}/auth': { log: 20, disk: 0, cpu: 650 },
  'GET {api}/auth/refresh/:userId': { log: 20, disk: 0, cpu: 150 },
  'POST {api}/auth/logout': { log: 20, disk: 0, cpu: 100 },
  'POST {api}/auth/factor': { log: 10, disk: 0, cpu: 250 },
  'POST {api}/auth/passkey/options': { log: 20, disk: 25, cpu: 200 },
  'POST {api}/auth/passkey': { log: 10, disk: 0, cpu: 150 },
  'POST {api}/chat': { log: 20, disk: 26_000, cpu: 700 },
  'GET {api}/chat/:clientId': { log: 5, disk: 0, cpu: 1_400 },
  'DELETE {api}/chat/:clientId': { log: 20, disk: 0, cpu: 100 },
  'POST {api}/chat/:clientId/read': { log: 20, disk: 0, cpu: 150 },
  'PATCH {api}/chat/:clientId/profile': { log: 20, disk: 20, cpu: 200 },
  'POST {api}/chat/:clientId/rating': { log: 20, disk: 0, cpu: 250 },
  'GET {api}/chat/:clientId/export': { log: 5, disk: 0, cpu: 400 },
  'POST {api}/chat/:clientId/files': { log: 25, disk: 50, cpu: 1_350 },
  'GET {api}/chat/:clientId/files/:id': { log: 20, disk: 0, cpu: 150 },
  'POST {api}/chat/resume': { log: 20, disk: 0, cpu: 200 },
  'POST {api}/chat/subscribe': { log: 20, disk: 0, cpu: 200 },
  'GET {api}/account/weekly/unsubscribe/:token': { log: 0, disk: 0, cpu: 100 },
  'POST {api}/account/weekly/unsubscribe/:token': { log: 20, disk: 0, cpu: 150 },
  'GET {api}/chat/unsubscribe/:token': { log: 0, disk: 0, cpu: 100 },
  'POST {api}/chat/unsubscribe/:token': { log: 20, disk: 0, cpu: 150 },
  'POST /embed/:site/remember': { log: 20, disk: 0, cpu: 150 },
  'DELETE /embed/:site/remember': { log: 20, disk: 0, cpu: 400 },
  'POST /embed/:site/restore': { log: 20, disk: 0, cpu: 150 },
  'POST /embed/:site/identify': { log: 15, disk: 0, cpu: 200 },
  'POST /embed/:site/test': { log: 20, disk: 0, cpu: 200 },
  'GET {api}/blogs': { log: 0, disk: 0, cpu: 100 },
  'GET {api}/texts/:key/page': { log: 20, disk: 0, cpu: 150 },
  'GET {api}/suggestions': { log: 0, disk: 0, cpu: 150 },
  'GET {api}/texts/:key': { log: 0, disk: 0, cpu: 150 },
  'GET {api}/faq': { log: 0, disk: 0, cpu: 150 },
  'POST {api}/suggestions/opened': { log: 20, disk: 0, cpu: 150 },
  'POST {api}/suggestions/asked': { log: 20, disk: 0, cpu: 100 },
  'GET {api}/blogs/one/:slug': { log: 20, disk: 0, cpu: 100 },
  'GET {api}/blogs/preview/:token': { log: 20, disk: 0, cpu: 150 },
  'GET /words/:file': { log: 20, disk: 0, cpu: 100 },
  'GET /uploads/:name': { log: 20, disk: 0, cpu: 150 },
  'GET {api}/reviews': { log: 0, disk: 0, cpu: 200 },
  'GET {api}/reviews/one/:id': { log: 20, disk: 0, cpu: 100 },
  'POST {api}/reviews/submit': { log: 5, disk: 80, cpu: 150 },
  'POST {api}/contacts': { log: 10, disk: 640, cpu: 250 },
  'POST {api}/invite': { log: 10, disk: 0, cpu: 100 },
  'POST {api}/invite/name': { log: 10, disk: 0, cpu: 150 },
  'GET /*': { log: 0, disk: 0, cpu: 150 },
  'POST /': { log: 15, disk: 0, cpu: 1_250 },
  'POST /contact': { log: 20, disk: 640, cpu: 800 },
  'POST /reviews': { log: 25, disk: 80, cpu: 750 },
  'GET /docs': { log: 0, disk: 0, cpu: 350 },
  'GET /docs/*': { log: 0, disk: 0, cpu: 400 },
}

/** Of each route that refuses strangers. */
export const REFUSED: Budget = { log: 20, disk: 0, cpu: 100 }

/** By commands of visitors, over one socket: the server closes it before it has served a thousand. */
export const COMMAND_BUDGETS: Readonly<Record<string, Budget>> = {
  'message:send': { log: 0, disk: 4_000, cpu: 200 },
  'conversation:sync': { log: 0, disk: 0, cpu: 50 },
  'conversation:read': { log: 0, disk: 0, cpu: 50 },
  'typing:set': { log: 0, disk: 0, cpu: 50 },
}
