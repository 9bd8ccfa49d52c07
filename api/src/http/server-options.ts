import type { Socket } from 'node:net'
import {
  type Serializer,
  type SerializerFactory,
  SerializerSelector,
} from '@fastify/fast-json-stringify-compiler'
import { BODY_BYTES_MAX } from '@proctorpass/shared/limits'
import { SOCKET_PATH } from '@proctorpass/shared/paths'
import type { FastifyHttpOptions, RawServerDefault } from 'fastify'
import type { Env } from '../env/env.ts'
import type { Trust } from './client-address.ts'
import { answerClientError } from './client-errors.ts'
import { STALLED_MS } from './connections.ts'
import { sendError } from './errors.ts'
import { LOG_SERIALIZERS, type RequestLog } from './logging.ts'
import type { IsOwnHost } from './origin.ts'
import type { SetHeaders } from './security-headers.ts'

interface Options {
  trust: Trust
  isOwnHost: IsOwnHost
  setHeaders: SetHeaders
  requestLog: RequestLog
  logStream: { write(line: string): void } | undefined
  dev: boolean
}

export function serverOptions(
  env: Env,
  { trust, isOwnHost, setHeaders, requestLog, logStream, dev }: Options,
): FastifyHttpOptions<RawServerDefault> {
  return {
    logger: {
      level: env.logLevel,
      serializers: LOG_SERIALIZERS,
      hooks: {
        logMethod(args: unknown[], method: (...args: unknown[]) => void, level: number) {
          const message = args.findLast((each) => typeof each === 'string') ?? ''
          if (requestLog.refusals?.mayWrite(message as string, level) ?? true) method.apply(this, args)
        },
      },
      ...(logStream === undefined ? {} : { stream: logStream }),
    },
    logController: requestLog,
    genReqId: () => crypto.randomUUID(),
    trustProxy: trust,
    bodyLimit: BODY_BYTES_MAX,
    // A phone with 0.7 Mbit/s sends 10 MB in this time. Headers have a shorter time of their own.
    requestTimeout: 120_000,
    // The kernel buffers megabytes for a peer that reads nothing, so its connection looks idle. Without a proxy, idle
    // connections therefore end as early as stalled ones.
    keepAliveTimeout: env.trustProxy === false ? STALLED_MS : 60_000,
    // request-limits.ts answers in the common error shape instead.
    return503OnClosing: false,
    http: {
      maxHeaderSize: 16 * 1_024,
      headersTimeout: 10_000,
      connectionsCheckingInterval: 2_000,
      // Other upgrades are answered as plain requests. In development, Vite's socket has a page's path.
      shouldUpgradeCallback: (request) =>
        request.headers.upgrade?.toLowerCase() === 'websocket' &&
        (dev || request.url?.startsWith(`${SOCKET_PATH}/`) === true) &&
        isOwnHost(request),
    },
    routerOptions: { maxParamLength: 2_048 },
    schemaController: { compilersFactory: { buildSerializer: compileAtFirstAnswer } },
    clientErrorHandler: (error, socket) => answerClientError(error, socket as Socket),
    // Addresses that cannot be parsed reach no hook.
    frameworkErrors: (error, request, reply) => {
      setHeaders(request, reply)
      sendError(error, request, reply)
    },
  }
}

/** The compiled serializers by schema, which several apps in one process share. */
const serializers = new WeakMap<object, Serializer>()

/**
 * Compiles Fastify's serializers when they are first needed, because compiling all of them takes a fifth of the start.
 */
const compileAtFirstAnswer: SerializerFactory = (schemas, options) => {
  const compile = SerializerSelector()(schemas, options)
  return (route) => {
    const schema = route.schema as object
    let serialize: Serializer | undefined
    return (value) => {
      if (serialize === undefined) {
        serialize = serializers.get(schema) ?? compile(route)
        serializers.set(schema, serialize)
      }
      return serialize(value)
    }
  }
}
