import type { Socket } from 'node:net'
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import { BODY_BYTES_MAX } from '@proctorpass/shared/limits'
import { SOCKET_PATH } from '@proctorpass/shared/paths'
import fastify, { type FastifyHttpOptions, type FastifyInstance, type RawServerDefault } from 'fastify'
import { accountRoutes } from './auth/account-routes.ts'
import { createOwnAccount } from './auth/accounts.ts'
import { type Auth, createAuth } from './auth/auth.ts'
import { authRoutes } from './auth/auth-routes.ts'
import { registerAuth } from './auth/authenticate.ts'
import { createSignInLimits } from './auth/sign-in-limits.ts'
import { type Chat, createChat } from './chat/chat.ts'
import { chatRoutes } from './chat/chat-routes.ts'
import { blogAdminRoutes, blogRoutes } from './content/blog-routes.ts'
import { type Blogs, createBlogs } from './content/blogs.ts'
import { contactRoutes } from './content/contact-routes.ts'
import { createContacts } from './content/contacts.ts'
import { createContentRevision } from './content/content-revision.ts'
import { ListCache } from './content/list-cache.ts'
import { reviewAdminRoutes, reviewRoutes, reviewSubmitRoutes } from './content/review-routes.ts'
import { createReviews, type Reviews } from './content/reviews.ts'
import { sampleRoutes } from './content/sample-routes.ts'
import { createSamples } from './content/samples.ts'
import { createPasswords } from './credentials/passwords.ts'
import type { Env } from './env.ts'
import type { FindSentResponse } from './http/cached-response.ts'
import { clientAddress, createTrust, type Trust } from './http/client-address.ts'
import { answerClientError, refuseTunnels } from './http/client-errors.ts'
import { configRoutes } from './http/config-routes.ts'
import {
  boundConnections,
  type ConnectionLimits,
  refuseLargeAnswers,
  STALLED_MS,
} from './http/connections.ts'
import { cspReportRoutes } from './http/csp-report-routes.ts'
import { sendError, setErrors } from './http/errors.ts'
import { askStore, healthRoutes } from './http/health-routes.ts'
import { LOG_SERIALIZERS, RequestLog } from './http/logging.ts'
import { registerOpenApi } from './http/openapi.ts'
import { createHostCheck, type IsOwnHost } from './http/origin.ts'
import { publicConfig } from './http/public-config.ts'
import { chargeForBytes, setRateLimits } from './http/rate-limits.ts'
import { RefusalLog } from './http/refusal-log.ts'
import { setRequestLimits } from './http/request-limits.ts'
import { createSecurityHeaders, guardAgainstForeignSites, type SetHeaders } from './http/security-headers.ts'
import { securityTxtRoutes } from './http/security-txt-routes.ts'
import { setValidation } from './http/validation.ts'
import { openHub } from './hub/hub.ts'
import { createCounters } from './limits/counters.ts'
import { type DiskReading, readDisk, watchDisk, withinDisk } from './limits/disk-space.ts'
import { createLimits, type Limits, networkOf } from './limits/limits.ts'
import type { Metrics } from './metrics/metrics.ts'
import { metricsRoutes } from './metrics/metrics-routes.ts'
import type { ObservedState } from './metrics/observed-state.ts'
import { countRequests } from './metrics/request-metrics.ts'
import { serveCachedResponses } from './pages/cached-response-listener.ts'
import { createPageForms } from './pages/page-forms.ts'
import { servePages } from './pages/pages.ts'
import type { Stores } from './storage/storage.ts'
import { uploadAdminRoutes, uploadRoutes } from './uploads/upload-routes.ts'
import { createUploads, type Uploads } from './uploads/uploads.ts'

export interface AppDeps extends Stores {
  env: Env
  /** Milliseconds since 1970 UTC. */
  now?: () => number
  /** Where log lines go; standard output unless told otherwise. */
  logStream?: { write(line: string): void }
  /** Pages through Vite, with its reload. */
  dev?: boolean
  /** Where the built pages are; where the build puts them unless told otherwise. */
  distDir?: string
  /** The disk that holds DATA_DIR; what the system says of it unless told otherwise. */
  readDisk?: () => Promise<DiskReading>
  /** Shorter and smaller ones, for tests. */
  connectionLimits?: Partial<ConnectionLimits> | undefined
}

/** The whole product as one Fastify instance: everything it is made of, in the order in which it is asked. */
export async function buildApp({
  env,
  storage: givenStorage,
  uploadFiles: givenFiles,
  now = Date.now,
  logStream,
  dev = false,
  distDir,
  readDisk: lookAtDisk = () => readDisk(env.dataDir),
  connectionLimits,
}: AppDeps): Promise<FastifyInstance> {
  const trust = createTrust(env.trustProxy)
  const setHeaders = createSecurityHeaders(env)
  const isOwnHost = createHostCheck(env)
  const requestLog = new RequestLog({ requestIdLogLabel: 'requestId' })
  const app = fastify(
    serverOptions(env, { trust, setHeaders, isOwnHost, requestLog, logStream, dev }),
  ).withTypeProvider<TypeBoxTypeProvider>()
  const refusals = new RefusalLog(app.log)
  requestLog.refusals = refusals
  app.addHook('onClose', async () => refusals.flush())

  const connections = boundConnections(app.server, {
    countsByAddress: (address) => env.rateLimits && !trust(address, 0),
    limits: connectionLimits,
  })

  // Without a token nothing is counted, and nothing of the metrics is loaded.
  const metrics =
    env.metricsToken === undefined ? null : (await import('./metrics/metrics.ts')).createMetrics()
  const counted = metrics ?? UNCOUNTED

  // Other processes
  const redis =
    env.redisUrl === undefined ? null : (await import('./redis/redis.ts')).connectRedis(env.redisUrl, app.log)
  if (redis !== null) app.addHook('onClose', redis.close)
  const counters = createCounters(redis)

  // Where DATA_DIR holds the store
  const disk =
    env.mongodbUrl === undefined
      ? await watchDisk(lookAtDisk, (facts) => app.log.error(facts, 'disk space'))
      : null
  if (disk !== null) app.addHook('onClose', async () => disk.close())
  const stores: Stores = {
    storage: counted.storage(givenStorage),
    uploadFiles: counted.uploadFiles(givenFiles),
  }
  const { storage, uploadFiles } = disk === null ? stores : withinDisk(stores, disk)

  // Use cases
  const limits = counted.limits(createLimits({ enabled: env.rateLimits, counters }))
  const chat = counted.chat(createChat({ storage, transport: env.chatTransport, limits, now }))
  const passwords = createPasswords()
  const signInLimits = createSignInLimits({ enabled: env.rateLimits, limits, counters })
  const auth = createAuth({
    storage,
    passwords,
    secret: env.jwtSecret,
    previousSecret: env.jwtSecretPrevious,
    limits: signInLimits,
    now,
  })
  const account = createOwnAccount({ storage, sessions: auth.sessions, passwords, limits: signInLimits })
  const contentRevision = createContentRevision(storage.contentRevision)
  app.addHook('onClose', async () => contentRevision.close())
  const uploads = createUploads({
    files: uploadFiles,
    isUsed: storage.blogs.refersTo,
    now,
  })
  const blogs = createBlogs({
    storage,
    uploads,
    contentRevision,
    ownOrigin: new URL(env.publicUrl).origin,
    now,
  })
  const reviews = createReviews({ storage, contentRevision, limits, publicReviews: env.publicReviews, now })
  const listCache = new ListCache(limits)
  contentRevision.subscribe(() => listCache.clear())
  const samples = createSamples({ storage, contentRevision })
  const contacts = createContacts({ storage, limits, now })
  // Their number and not their ids: an id is half of what ends a session.
  auth.sessions.onEnded((sids, userId) => app.log.info({ userId, count: sids.length }, 'sessions ended'))
  app.decorate('auth', auth)
  app.decorate('chat', chat)
  app.decorate('blogs', blogs)
  app.decorate('reviews', reviews)
  app.decorate('uploads', uploads)
  app.decorate('limits', limits)
  app.decorate('accepting', true)
  app.decorate('leaving', false)

  // What holds for every request
  setErrors(app)
  if (metrics !== null) countRequests(app, metrics)
  setValidation(app)
  refuseTunnels(app.server)
  guardAgainstForeignSites(app, env, setHeaders)
  // Before what refuses: refusals count as well.
  setRateLimits(app, limits)
  setRequestLimits(app, { isOwnHost })
  refuseLargeAnswers(app, connections)
  await registerAuth(app, { env, sessions: auth.sessions })
  await registerOpenApi(app, { brand: env.brand, pages: env.apiDocs })

  // Routes
  healthRoutes(app, { storage, redis, disk })
  securityTxtRoutes(app, { env, now })
  if (metrics !== null) metricsRoutes(app, { metrics, token: env.metricsToken ?? '', limits })
  uploadRoutes(app.withTypeProvider<TypeBoxTypeProvider>(), { uploads })
  await app.register(
    async (api) => {
      chargeForBytes(api, limits)
      configRoutes(api, { config: publicConfig(env) })
      cspReportRoutes(api, { limits, refusals })
      authRoutes(api.withTypeProvider<TypeBoxTypeProvider>(), { auth, env })
      blogRoutes(api.withTypeProvider<TypeBoxTypeProvider>(), { blogs, listCache })
      await api.register(async (scope) =>
        blogAdminRoutes(scope.withTypeProvider<TypeBoxTypeProvider>(), { blogs }),
      )
      await api.register(async (scope) =>
        uploadAdminRoutes(scope.withTypeProvider<TypeBoxTypeProvider>(), { uploads }),
      )
      reviewRoutes(api.withTypeProvider<TypeBoxTypeProvider>(), { reviews, listCache })
      reviewSubmitRoutes(api.withTypeProvider<TypeBoxTypeProvider>(), { reviews })
      reviewAdminRoutes(api.withTypeProvider<TypeBoxTypeProvider>(), { reviews })
      contactRoutes(api.withTypeProvider<TypeBoxTypeProvider>(), { contacts })
      accountRoutes(api.withTypeProvider<TypeBoxTypeProvider>(), { account })
      sampleRoutes(api.withTypeProvider<TypeBoxTypeProvider>(), { samples })
      chatRoutes(api.withTypeProvider<TypeBoxTypeProvider>(), { chat, limits, apiPrefix: env.apiPrefix })
    },
    { prefix: env.apiPrefix },
  )

  // Hub
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
  // Before the app closes: open sockets would hold it up.
  app.addHook('preClose', async () => hub.drain())

  // Pages: every GET that nothing above has taken, and their forms
  const caches: ObservedState['caches'] = [{ kind: 'list', reads: listCache.reads }]
  if (env.serveWeb) {
    const pages = await servePages(app, {
      publicUrl: env.publicUrl,
      apiPrefix: env.apiPrefix,
      config: publicConfig(env),
      forms: createPageForms({ contacts, reviews }),
      limits,
      dev,
      ...(distDir === undefined ? {} : { distDir }),
    })
    contentRevision.subscribe(pages.clearCache)
    caches.push({ kind: 'page', reads: pages.reads })
    // A line for each request can only be written by what knows its route.
    if (env.logLevel !== 'debug' && env.logLevel !== 'trace') {
      const find: FindSentResponse = (address, accepted) =>
        pages.find(address, accepted) ?? listCache.find(address, accepted)
      serveCachedResponses(app, { find, limits, trust, isOwnHost, connections, metrics })
    }
  }

  connections.answerInTurn()

  let contentDrops = 0
  contentRevision.subscribe(() => {
    contentDrops += 1
  })
  metrics?.observe({
    sockets: hub.sockets,
    connections: connections.state,
    askStore: () => askStore(givenStorage),
    askRedis: redis?.answers,
    disk: disk ?? undefined,
    caches,
    contentDrops: () => contentDrops,
  })

  return app
}

/** What stands in place of the metrics where nobody asks for them. */
const UNCOUNTED: Pick<Metrics, 'chat' | 'limits' | 'storage' | 'uploadFiles'> = {
  chat: (chat) => chat,
  limits: (limits) => limits,
  storage: (storage) => storage,
  uploadFiles: (files) => files,
}

function serverOptions(
  env: Env,
  {
    trust,
    setHeaders,
    isOwnHost,
    requestLog,
    logStream,
    dev,
  }: Pick<AppDeps, 'logStream' | 'dev'> & {
    trust: Trust
    setHeaders: SetHeaders
    isOwnHost: IsOwnHost
    requestLog: RequestLog
  },
): FastifyHttpOptions<RawServerDefault> {
  return {
    logger: {
      level: env.logLevel,
      serializers: LOG_SERIALIZERS,
      ...(logStream === undefined ? {} : { stream: logStream }),
    },
    // The id stands under the same name in the answer.
    logController: requestLog,
    genReqId: () => crypto.randomUUID(),
    trustProxy: trust,
    bodyLimit: BODY_BYTES_MAX,
    // Long enough for 10 MB from a phone at 0.7 Mbit/s; headers have their own, shorter time.
    requestTimeout: 120_000,
    // The system takes megabytes for a peer that reads nothing, and its connection looks idle: without a proxy, idle
    // ones end when stalled ones do.
    keepAliveTimeout: env.trustProxy === false ? STALLED_MS : 60_000,
    // Our own answer, in the one shape, is given by request-limits.ts.
    return503OnClosing: false,
    http: {
      maxHeaderSize: 16 * 1_024,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      // Any other upgrade is ignored, and its request answered as if it had not asked. Vite's is at a page's path.
      shouldUpgradeCallback: (request) =>
        request.headers.upgrade?.toLowerCase() === 'websocket' &&
        (dev === true || request.url?.startsWith(`${SOCKET_PATH}/`) === true) &&
        isOwnHost(request),
    },
    routerOptions: { maxParamLength: 2_048 },
    clientErrorHandler: (error, socket) => answerClientError(error, socket as Socket),
    // An address that cannot be read never reaches a hook.
    frameworkErrors: (error, request, reply) => {
      setHeaders(request, reply)
      sendError(error, request, reply)
    },
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    auth: Auth
    chat: Chat
    blogs: Blogs
    reviews: Reviews
    uploads: Uploads
    limits: Limits
    /** False while the process starts and once it was told to end: nothing new is begun. */
    accepting: boolean
    /** True once the process was told to end: what comes is still served, but nobody should send more. */
    leaving: boolean
  }
}
