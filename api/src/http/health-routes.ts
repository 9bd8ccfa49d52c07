import { setTimeout as wait } from 'node:timers/promises'
import { AppError } from '@proctorpass/shared/errors'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { VERSION } from '../installation.ts'
import type { DiskSpace } from '../limits/disk-space.ts'
import type { Redis } from '../redis/redis.ts'
import type { Storage } from '../storage/model/storage.ts'

const STORE_TIMEOUT_MS = 2_000
const STORE_IS_AWAY = "The store doesn't respond."
const AliveSchema = Type.Object({ status: Type.String(), version: Type.String() })
const ReadySchema = Type.Object({ status: Type.String(), reason: Type.Optional(Type.String()) })

/** Serves liveness and readiness to proxies and monitors. */
export function healthRoutes(
  app: FastifyInstance,
  {
    storage,
    redis,
    disk,
    mailReader,
  }: {
    storage: Storage
    redis: Redis | null
    disk: DiskSpace | null
    /** Null if answers by mail are not read. */
    mailReader: { readonly isAway: boolean } | null
  },
): void {
  app.get(
    '/healthz',
    {
      schema: {
        tags: ['health'],
        summary: 'Whether the process is alive, and its version',
        response: { 200: AliveSchema },
      },
      config: { errors: false },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      return { status: 'ok', version: VERSION }
    },
  )

  app.get(
    '/readyz',
    {
      schema: {
        tags: ['health'],
        summary: 'Whether the server can serve requests',
        response: { 200: ReadySchema, 503: { $ref: 'Error#' } },
      },
    },
    async (_request, reply) => {
      reply.header('cache-control', 'no-store')
      if (!app.accepting || app.leaving)
        throw new AppError('unavailable', 'The server is starting or shutting down.', { retryAfterMs: 2_000 })
      await pingStore(storage)
      const { state } = disk === null ? { state: 'ok' } : await disk.read()
      if (state === 'full')
        throw new AppError('unavailable', 'The disk that holds DATA_DIR is full.', { retryAfterMs: 10_000 })
      if (state === 'low')
        return {
          status: 'degraded',
          reason: 'The disk that holds DATA_DIR is almost full: nothing from visitors is stored.',
        }
      if (mailReader?.isAway) return { status: 'degraded', reason: 'inbound' }
      // This process still serves its clients without Redis.
      return { status: redis === null || (await redis.ping()) ? 'ok' : 'degraded' }
    },
  )
}

/** Throws an AppError `unavailable` if the store does not answer in time. */
export async function pingStore(storage: Storage): Promise<void> {
  const problem = await Promise.race([
    storage.ping().then(
      () => null,
      (error: unknown) => (error instanceof AppError ? error.message : STORE_IS_AWAY),
    ),
    wait(STORE_TIMEOUT_MS, STORE_IS_AWAY, { ref: false }),
  ])
  if (problem !== null) throw new AppError('unavailable', problem, { retryAfterMs: 2_000 })
}
