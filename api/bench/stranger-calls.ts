import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { paths } from '@proctorpass/shared/paths'
import { API_PREFIX } from '../test/chat-client.ts'
import type { Figure, MeasuredServer } from './benchmark.ts'

/** On Linux the whole of 127.0.0.0/8 is this machine's: each attack has its own address, and so its own limits. */
export const BENIGN = '127.0.0.2'
export const MESSAGES = 100
/** 16 KB of UTF-8. */
export const LONGEST_MESSAGE = '😀'.repeat(4_000)

export interface Run {
  quick: boolean
  dataDir: string
  start: (env?: Record<string, string>) => Promise<MeasuredServer>
}

export interface Call {
  path: string
  method?: string
  headers?: IncomingHttpHeaders
  type?: string
  body?: string | Buffer
}

export type Ask = (server: MeasuredServer, call: Call) => Promise<{ status: number; bytes: number }>

/** Requests from one local address, over keep-alive connections. */
export function callAs(localAddress: string, connections = 1): Ask {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, localAddress })
  return ({ port }, { path, method = 'GET', headers = {}, type, body }) =>
    new Promise((resolve, reject) => {
      const content = type === undefined ? {} : { 'content-type': type }
      const sent = request(
        { host: '127.0.0.1', port, path, method, agent, headers: { ...headers, ...content } },
        (answer) => {
          let bytes = 0
          answer.on('data', (chunk: Buffer) => {
            bytes += chunk.length
          })
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, bytes }))
          answer.on('error', reject)
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
}

export async function inParallel(
  count: number,
  address: string,
  work: (call: Ask, index: number) => Promise<void>,
): Promise<void> {
  await Promise.all(
    Array.from({ length: count }, async (_, index) => {
      const call = callAs(address)
      // A connection that the server closes is an answer too.
      await work((server, what) => call(server, what).catch(() => ({ status: 0, bytes: 0 })), index)
    }),
  )
}

export const post = (path: string, body: object): Call => ({
  path,
  method: 'POST',
  type: 'application/json',
  body: JSON.stringify(body),
})

export const messageOf = (clientId: string, message: string) =>
  post(`${API_PREFIX}${paths.chat}`, { clientId, message })

export async function withServer<T>(
  starting: Promise<MeasuredServer>,
  measure: (server: MeasuredServer) => Promise<T>,
): Promise<T> {
  const server = await starting
  try {
    return await measure(server)
  } finally {
    await server.stop('SIGKILL')
  }
}

export const figure = (what: string, value: string, against = ''): Figure => ({
  kind: 'figure',
  what,
  value,
  against,
})

export const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`
