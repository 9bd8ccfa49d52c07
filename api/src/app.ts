import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import fastify, { type FastifyInstance } from 'fastify'
import { auditPlugin } from './audit/plugin.ts'
import { registerAuth } from './auth/authenticate.ts'
import { authPlugin } from './auth/plugin.ts'
import { chatPlugin } from './chat/plugin.ts'
import { ListCache } from './content/list-cache.ts'
import { contentPlugin } from './content/plugin.ts'
import { embedRoutes } from './embed/embed-routes.ts'
import type { Env } from './env/env.ts'
import { eventsPlugin } from './events/plugin.ts'
import { createTrust, readForwardedAddresses } from './http/client-address.ts'
import { refuseTunnels } from './http/client-errors.ts'
import { type ConnectionLimits, limitConnections, refuseLargeAnswers } from './http/connections.ts'
import { cspReportRoutes } from './http/csp-report-routes.ts'
import { setErrors } from './http/errors.ts'
import { healthRoutes, pingStore } from './http/health-routes.ts'
import { RequestLog } from './http/logging.ts'
import { serveApiDocs } from './http/openapi.ts'
import { createHostCheck } from './http/origin.ts'
import { probeRoutes } from './http/probe-routes.ts'
import { publicConfig } from './http/public-config.ts'
import { chargeForBytes, setRateLimits } from './http/rate-limits.ts'
import { RefusalLog } from './http/refusal-log.ts'
import { setRequestLimits } from './http/request-limits.ts'
import { createSecurityHeaders, guardAgainstForeignSites } from './http/security-headers.ts'
import { securityTxtRoutes } from './http/security-txt-routes.ts'
import { serverOptions } from './http/server-options.ts'
import { setValidation } from './http/validation.ts'
import { hubPlugin } from './hub/plugin.ts'
import { LOOK_EVERY_MS } from './jobs/jobs.ts'
import { wordRoutes } from './languages/language-routes.ts'
import { languagesPlugin } from './languages/plugin.ts'
import { createCounters } from './limits/counters.ts'
import { type DiskReading, readDisk, watchDisk } from './limits/disk-space.ts'
import type { MailReader } from './mail/inbound/reader.ts'
import { linkRoutes } from './mail/link-routes.ts'
import { metricsRoutes } from './metrics/metrics-routes.ts'
import { countRequests } from './metrics/request-metrics.ts'
import { notificationsPlugin } from './notifications/plugin.ts'
import { pagesPlugin } from './pages/plugin.ts'
import { reportsPlugin } from './reports/plugin.ts'
import { searchPlugin } from './search/plugin.ts'
import { settingsPlugin } from './settings/plugin.ts'
import { sitesPlugin, visitsPlugin } from './sites/plugin.ts'
import type { Stores } from './storage/model/storage.ts'
import { textsPlugin } from './texts/plugin.ts'
import { uploadAdminRoutes, uploadRoutes } from './uploads/upload-routes.ts'
import { createUseCases, type UseCases } from './use-cases.ts'

export interface AppDeps extends Stores {
  env: Env
  /** Returns milliseconds since 1970 UTC. */
  now?: () => number
  /** Whether no other process uses the store. */
  isAlone?: boolean
  /** How often the server looks for due jobs and snoozes. The default is every second. */
  lookEveryMs?: number | undefined
  /** Receives the log's lines. The default is standard output. */
  logStream?: { write(line: string): void }
  /** Whether pages are served from their sources through Vite. */
  dev?: boolean
  /** The folder with the built pages. The default is where the build writes them. */
  distDir?: string
  /** Reads the disk that holds DATA_DIR. The default is `statfs`. */
  readDisk?: () => Promise<DiskReading>
  /** What a release ships, for tests. */
  shippedTexts?: ShippedTexts | undefined
  /** Smaller limits, for tests. */
  connectionLimits?: Partial<ConnectionLimits> | undefined
}

/** Assembles the server. Hooks run in the order in which they are added here. */
export async function buildApp(deps: AppDeps): Promise<FastifyInstance> {
  const { env, storage, uploadFiles, attachmentFiles, now = Date.now, dev = false } = deps
  const { isAlone = false, lookEveryMs = LOOK_EVERY_MS } = deps
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

  // Prometheus, Redis, and the mailer are loaded only when configured. The disk is watched when it holds the store.
  const metrics =
    env.metricsToken === undefined ? null : (await import('./metrics/metrics.ts')).createMetrics()
  const redis =
    env.redisUrl === undefined ? null : (await import('./redis/redis.ts')).connectRedis(env.redisUrl, app.log)
  const mailer = env.mail === null ? null : (await import('./mail/mailer.ts')).createMailer(env.mail, app.log)
  const disk =
    env.mongodbUrl === undefined
      ? await watchDisk(deps.readDisk ?? (() => readDisk(env.dataDir)), (status) =>
          app.log[status.state === 'ok' ? 'info' : 'error'](status, 'disk space'),
        )
      : null
  app.addHook('onClose', async () => {
    await redis?.close()
    disk?.close()
  })

  const stores = { storage, uploadFiles, attachmentFiles }
  const useCases = createUseCases({
    ...{ env, stores, disk, metrics, mailer, now, isAlone, lookEveryMs },
    counters: createCounters(redis),
    isOnline: (clientId) => hub.isOnline(clientId),
    isAnyAdminOnline: () => hub.isAnyAdminOnline(),
    isViewing: (userId, clientId) => hub.isViewing(userId, clientId),
    visitorsOnline: () => (env.chatTransport === 'push' ? hub.visitorsOnline() : null),
    pageEntry: async () => pages?.entry() ?? null,
    shippedTexts: deps.shippedTexts,
  })
  const { auth, keys, limits, uploads } = useCases
  const mailReader =
    env.inbound === null
      ? null
      : (await import('./mail/inbound/open-inbound.ts')).openInbound({ env, useCases, log: app.log, now })
  const listCache = new ListCache(limits)
  app.decorate('useCases', useCases)
  app.decorate('accepting', true)
  app.decorate('leaving', false)

  // Rules for every request
  readForwardedAddresses(app)
  setErrors(app, refusals)
  if (metrics !== null) countRequests(app, metrics)
  setValidation(app)
  refuseTunnels(app.server)
  guardAgainstForeignSites(app, env, setHeaders)
  // The limits come before the hooks that refuse, so that refused requests count.
  setRateLimits(app, limits)
  setRequestLimits(app, { isOwnHost, publicUrl: env.publicUrl })
  refuseLargeAnswers(app, connections)
  await registerAuth(app, { env, sessions: auth.sessions, keys })
  if (env.apiDocs) serveApiDocs(app, { brand: env.brand })

  // Rooms
  healthRoutes(app, { storage, redis, disk, mailReader })
  securityTxtRoutes(app, { env, now })
  if (metrics !== null) metricsRoutes(app, { metrics, token: env.metricsToken ?? '', limits })
  uploadRoutes(app, { uploads })
  wordRoutes(app, useCases)
  visitsPlugin(app, { ...useCases, env })
  await app.register(
    async (api) =>
      apiPlugins(api, {
        ...{ ...useCases, env, config: publicConfig(env), listCache, refusals, lookEveryMs, mailReader },
      }),
    { prefix: env.apiPrefix },
  )
  const hub = hubPlugin(app, { ...useCases, env, trust, refusals, observer: metrics?.hub, redis })
  const pages = env.serveWeb
    ? await pagesPlugin(app, {
        ...{ ...useCases, env, listCache, trust, isOwnHost, connections, metrics, dev },
        distDir: deps.distDir,
      })
    : null
  if (pages !== null) embedRoutes(app, { env, ...useCases, sources: pages.embed })
  connections.serializePipelined()

  metrics?.observe({
    sockets: hub.sockets,
    connections: connections.state,
    pingStore: () => pingStore(storage),
    pingRedis: redis?.ping,
    disk: disk ?? undefined,
    // With an empty user ID, no conversation counts as the admin's own.
    countConversations: () => storage.inbox.counts('', now()),
    caches: { list: listCache.reads, ...(pages === null ? {} : { page: pages.reads }) },
    contentDrops: () => listCache.clears,
  })
  return app
}

interface ApiOptions extends UseCases {
  env: Env
  config: PublicConfig
  listCache: ListCache
  refusals: RefusalLog
  lookEveryMs: number
  /** Null if answers by mail are not read. */
  mailReader: MailReader | null
}

/**
 * Registers everything under API_PREFIX, with one line for each room. The rooms start in this order and close in
 * reverse.
 */
async function apiPlugins(app: FastifyInstance, options: ApiOptions): Promise<void> {
  const api = app.withTypeProvider<TypeBoxTypeProvider>()
  const { env, jobs, uploads, links, weeklyMails, limits, refusals, mailReader } = options
  chargeForBytes(api, limits)
  // The probe has its own scope, which accepts any bytes.
  await api.register((scope) => probeRoutes(scope, { jwtSecret: env.jwtSecret, limits }))
  cspReportRoutes(api, { limits, refusals })
  settingsPlugin(api, options)
  languagesPlugin(api, options)
  await authPlugin(api, options)
  sitesPlugin(api, options)
  eventsPlugin(api, options)
  auditPlugin(api, options)
  await contentPlugin(api, options)
  textsPlugin(api, options)
  // Uploads have their own scope, which accepts multipart forms.
  await api.register(async (scope) => uploadAdminRoutes(scope, { uploads }))
  notificationsPlugin(api, options)
  api.addHook('onReady', async () => jobs.start(api.log))
  api.addHook('onClose', async () => jobs.close())
  searchPlugin(api, options)
  reportsPlugin(api, options)
  await chatPlugin(api, { ...options, apiPrefix: env.apiPrefix })
  api.addHook('onReady', async () => mailReader?.start())
  api.addHook('onClose', async () => mailReader?.close())
  // Mailed links have their own scope, which accepts any body.
  await api.register(async (scope) => linkRoutes(scope, { links, weeklyMails, publicUrl: env.publicUrl }))
  api.addHook('onReady', async () => weeklyMails.start())
}

declare module 'fastify' {
  interface FastifyInstance {
    /** The use cases for the process and for tests. Rooms receive theirs as arguments. */
    useCases: UseCases
    /** False during startup and once the process stops. New requests are refused then. */
    accepting: boolean
    /** True once the process received a signal to stop. Requests are still served then, but connections close. */
    leaving: boolean
  }
}
