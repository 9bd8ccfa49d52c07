import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import fastify, { type FastifyInstance } from 'fastify'
import { accountRoutes } from './auth/account-routes.ts'
import type { Auth } from './auth/auth.ts'
import { authRoutes } from './auth/auth-routes.ts'
import { registerAuth } from './auth/authenticate.ts'
import { teamRoutes } from './auth/team-routes.ts'
import type { Chat } from './chat/chat.ts'
import { chatRoutes } from './chat/chat-routes.ts'
import { fileRoutes } from './chat/file-routes.ts'
import type { Files } from './chat/files.ts'
import { visitorRoutes } from './chat/visitor-routes.ts'
import { blogAdminRoutes, blogRoutes } from './content/blog-routes.ts'
import type { Blogs } from './content/blogs.ts'
import { contactRoutes } from './content/contact-routes.ts'
import { ListCache } from './content/list-cache.ts'
import { replyRoutes } from './content/reply-routes.ts'
import { reviewAdminRoutes, reviewRoutes, reviewSubmitRoutes } from './content/review-routes.ts'
import type { Reviews } from './content/reviews.ts'
import { sampleRoutes } from './content/sample-routes.ts'
import type { Env } from './env.ts'
import { clientAddress, createTrust } from './http/client-address.ts'
import { refuseTunnels } from './http/client-errors.ts'
import { type ConnectionLimits, limitConnections, refuseLargeAnswers } from './http/connections.ts'
import { cspReportRoutes } from './http/csp-report-routes.ts'
import { setErrors } from './http/errors.ts'
import { healthRoutes, pingStore } from './http/health-routes.ts'
import { RequestLog } from './http/logging.ts'
import { serveApiDocs } from './http/openapi.ts'
import { createHostCheck } from './http/origin.ts'
import { publicConfig } from './http/public-config.ts'
import { chargeForBytes, setRateLimits } from './http/rate-limits.ts'
import { RefusalLog } from './http/refusal-log.ts'
import { setRequestLimits } from './http/request-limits.ts'
import { createSecurityHeaders, guardAgainstForeignSites } from './http/security-headers.ts'
import { securityTxtRoutes } from './http/security-txt-routes.ts'
import { serverOptions } from './http/server-options.ts'
import { setValidation } from './http/validation.ts'
import { openHub } from './hub/hub.ts'
import { LOOK_EVERY_MS } from './jobs/jobs.ts'
import { createCounters } from './limits/counters.ts'
import { type DiskReading, readDisk, watchDisk } from './limits/disk-space.ts'
import { type Limits, networkOf } from './limits/limits.ts'
import { linkRoutes } from './mail/link-routes.ts'
import { metricsRoutes } from './metrics/metrics-routes.ts'
import { countRequests } from './metrics/request-metrics.ts'
import { pushRoutes } from './notifications/push-routes.ts'
import { serveCachedResponses } from './pages/cached-response-listener.ts'
import { createPageForms } from './pages/page-forms.ts'
import { servePages } from './pages/pages.ts'
import { searchRoutes } from './search/search-routes.ts'
import { configRoutes } from './settings/config-routes.ts'
import { settingsRoutes } from './settings/settings-routes.ts'
import type { Stores } from './storage/storage.ts'
import { uploadAdminRoutes, uploadRoutes } from './uploads/upload-routes.ts'
import type { Uploads } from './uploads/uploads.ts'
import { createUseCases, type UseCases } from './use-cases.ts'

export interface AppDeps extends Stores {
  env: Env
  /** Milliseconds since 1970 UTC. */
  now?: () => number
  /** How often due jobs and snoozes are looked for. Default: every second. */
  lookEveryMs?: number | undefined
  /** Default: standard output. */
  logStream?: { write(line: string): void }
  /** Serve the pages from their sources through Vite. */
  dev?: boolean
  /** The built pages. Default: where the build writes them. */
  distDir?: string
  /** Reads the disk that holds DATA_DIR. Default: `statfs`. */
  readDisk?: () => Promise<DiskReading>
  /** Smaller limits, for tests. */
  connectionLimits?: Partial<ConnectionLimits> | undefined
}

/** Assembles the server. Hooks run in the order in which they are added here. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { env, storage, uploadFiles, attachmentFiles, now = Date.now, dev = false } = deps
  const { lookEveryMs = LOOK_EVERY_MS } = deps
  const trust = createTrust(env.trustProxy)
  const isOwnHost = createHostCheck(env)
  const setHeaders = createSecurityHeaders(env)
  const requestLog = new RequestLog({ requestIdLogLabel: 'requestId' })
  const { logStream } = deps
  const app = fastify(
    serverOptions(env, { trust, isOwnHost, setHeaders, requestLog, logStream, dev }),
  ).withTypeProvider<TypeBoxTypeProvider>()
  const refusals = new RefusalLog(app.log)
  requestLog.refusals = refusals
  app.addHook('onClose', async () => refusals.flush())
  const connections = limitConnections(app.server, {
    countsByAddress: (address) => env.rateLimits && !trust(address, 0),
    limits: deps.connectionLimits,
  })

  // Prometheus, Redis and the mailer are loaded only when configured; the disk is watched when it holds the store.
  const metrics =
    env.metricsToken === undefined ? null : (await import('./metrics/metrics.ts')).createMetrics()
  const redis =
    env.redisUrl === undefined ? null : (await import('./redis/redis.ts')).connectRedis(env.redisUrl, app.log)
  const mailer = env.mail === null ? null : (await import('./mail/mailer.ts')).createMailer(env.mail, app.log)
  const disk =
    env.mongodbUrl === undefined
      ? await watchDisk(deps.readDisk ?? (() => readDisk(env.dataDir)), (status) =>
          app.log.error(status, 'disk space'),
        )
      : null
  app.addHook('onClose', async () => {
    await redis?.close()
    disk?.close()
  })

  const stores = { storage, uploadFiles, attachmentFiles }
  const useCases = createUseCases({
    ...{ env, stores, disk, metrics, mailer, now, lookEveryMs },
    counters: createCounters(redis),
    isOnline: (clientId) => hub.isOnline(clientId),
    isViewing: (userId, clientId) => hub.isViewing(userId, clientId),
  })
  const { auth, chat, blogs, reviews, contacts, uploads, limits, contentRevision } = useCases
  app.addHook('onClose', async () => contentRevision.close())
  app.addHook('onReady', async () => useCases.notifications.start(app.log))
  app.addHook('onReady', async () => useCases.jobs.start(app.log))
  app.addHook('onReady', async () => useCases.startRetention())
  app.addHook('onClose', async () => useCases.jobs.close())
  app.addHook('onReady', async () => useCases.search.start(app.log))
  app.addHook('onClose', async () => useCases.search.close())
  // Logs the number of ids: an id is half of what ends a session.
  auth.sessions.onEnded((sids, userId) => app.log.info({ userId, count: sids.length }, 'sessions ended'))
  const listCache = new ListCache(limits)
  contentRevision.subscribe(() => listCache.clear())
  app.decorate('auth', auth)
  app.decorate('chat', chat)
  app.decorate('blogs', blogs)
  app.decorate('reviews', reviews)
  app.decorate('uploads', uploads)
  app.decorate('files', useCases.files)
  app.decorate('limits', limits)
  app.decorate('accepting', true)
  app.decorate('leaving', false)

  // Rules for every request
  setErrors(app)
  if (metrics !== null) countRequests(app, metrics)
  setValidation(app)
  refuseTunnels(app.server)
  guardAgainstForeignSites(app, env, setHeaders)
  // Before hooks that refuse, so that refused requests count.
  setRateLimits(app, limits)
  setRequestLimits(app, { isOwnHost })
  refuseLargeAnswers(app, connections)
  await registerAuth(app, { env, sessions: auth.sessions })
  if (env.apiDocs) serveApiDocs(app, { brand: env.brand })

  // Routes
  healthRoutes(app, { storage, redis, disk })
  securityTxtRoutes(app, { env, now })
  if (metrics !== null) metricsRoutes(app, { metrics, token: env.metricsToken ?? '', limits })
  uploadRoutes(app, { uploads })
  await app.register(async (api) => apiRoutes(api, { env, useCases, listCache, refusals }), {
    prefix: env.apiPrefix,
  })

  endSnoozes(app, chat, lookEveryMs)
  const hub = openHub({
    server: app.server,
    chat,
    auth: {
      verifyAccess: app.verifyAccess,
      isAdminSession: auth.sessions.isAdminSession,
      onSessionsEnded: auth.sessions.onEnded,
    },
    transport: env.chatTransport,
    publicUrl: env.publicUrl,
    rateLimits: env.rateLimits,
    limits,
    addressOf: (request) => networkOf(clientAddress(request, trust)),
    log: app.log,
    refusals,
    observer: metrics?.hub,
    redis,
  })
  if (env.chatTransport === 'push') useCases.team.followPresence(hub.isAdminOnline)
  // Open sockets would block closing.
  app.addHook('preClose', async () => hub.drain())

  // Pages and their forms, for every GET without a route
  const pages = env.serveWeb
    ? await servePages(app, {
        publicUrl: env.publicUrl,
        apiPrefix: env.apiPrefix,
        config: publicConfig(env),
        forms: createPageForms({ contacts, reviews }),
        limits,
        dev,
        ...(deps.distDir === undefined ? {} : { distDir: deps.distDir }),
      })
    : null
  if (pages !== null) {
    contentRevision.subscribe(pages.clearCache)
    // Cached responses bypass the request log, which has a line for each request at these levels.
    if (env.logLevel !== 'debug' && env.logLevel !== 'trace') {
      const find: typeof pages.find = (...asked) => pages.find(...asked) ?? listCache.find(...asked)
      serveCachedResponses(app, { find, limits, trust, isOwnHost, connections, metrics })
    }
  }
  connections.serializePipelined()

  if (metrics !== null) {
    let contentDrops = 0
    contentRevision.subscribe(() => {
      contentDrops += 1
    })
    metrics.observe({
      sockets: hub.sockets,
      connections: connections.state,
      pingStore: () => pingStore(storage),
      pingRedis: redis?.ping,
      disk: disk ?? undefined,
      // No user: nothing is theirs.
      countConversations: () => storage.inbox.counts('', now()),
      caches: { list: listCache.reads, ...(pages === null ? {} : { page: pages.reads }) },
      contentDrops: () => contentDrops,
    })
  }
  return app
}

/** Due snoozes are in the store: every node looks, and none is needed. */
function endSnoozes(app: FastifyInstance, chat: Chat, lookEveryMs: number): void {
  let running = false
  const timer = setInterval(async () => {
    if (running || !app.accepting) return
    running = true
    // A store that is away is logged by its own calls.
    await chat.inbox.endDueSnoozes().catch(() => {})
    running = false
  }, lookEveryMs).unref()
  app.addHook('onClose', async () => clearInterval(timer))
}

interface ApiOptions {
  env: Env
  useCases: UseCases
  listCache: ListCache
  refusals: RefusalLog
}

/** Everything under API_PREFIX. */
async function apiRoutes(
  app: FastifyInstance,
  { env, useCases, listCache, refusals }: ApiOptions,
): Promise<void> {
  const api = app.withTypeProvider<TypeBoxTypeProvider>()
  const { auth, account, team, blogs, reviews, contacts, replies, samples, uploads, chat, limits } = useCases
  chargeForBytes(api, limits)
  configRoutes(api, { config: publicConfig(env), chatState: useCases.chatState })
  cspReportRoutes(api, { limits, refusals })
  authRoutes(api, { auth, team, env })
  blogRoutes(api, { blogs, listCache })
  // In scopes of their own, which accept multipart forms.
  await api.register(async (scope) => blogAdminRoutes(scope, { blogs }))
  await api.register(async (scope) => uploadAdminRoutes(scope, { uploads }))
  reviewRoutes(api, { reviews, listCache })
  reviewSubmitRoutes(api, { reviews })
  reviewAdminRoutes(api, { reviews })
  contactRoutes(api, { contacts })
  replyRoutes(api, { replies })
  settingsRoutes(api, { settings: useCases.settings })
  accountRoutes(api, { account })
  teamRoutes(api, { team })
  pushRoutes(api, { devices: useCases.notifications.devices })
  sampleRoutes(api, { samples })
  visitorRoutes(api, { chat, limits })
  await api.register(async (scope) => fileRoutes(scope, { files: useCases.files, limits }))
  // In a scope of its own, which accepts any body.
  await api.register(async (scope) => linkRoutes(scope, { links: useCases.links, publicUrl: env.publicUrl }))
  chatRoutes(api, { chat, limits, apiPrefix: env.apiPrefix })
  searchRoutes(api, { search: useCases.search })
}

declare module 'fastify' {
  interface FastifyInstance {
    auth: Auth
    chat: Chat
    blogs: Blogs
    reviews: Reviews
    uploads: Uploads
    files: Files
    limits: Limits
    /** False during start-up and once the process stops: new requests are refused. */
    accepting: boolean
    /** True once the process was signalled to stop: requests are still served, but connections close. */
    leaving: boolean
  }
}
