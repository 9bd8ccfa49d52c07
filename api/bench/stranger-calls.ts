import { readdirSync, statSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { paths } from '@proctorpass/shared/paths'
import { API_PREFIX, newId, signInAsAdmin } from '../test/chat-client.ts'
import { type Comparison, type Figure, type MeasuredServer, quantile } from './benchmark.ts'

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

/** Sends requests from one local address over keep-alive connections. */
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

export function compared(what: string, unit: string, subject: number, reference: number): Comparison {
  return { kind: 'comparison', what, unit, subject: [subject], reference: [reference] }
}

/** Measures how many milliseconds each call takes. A pause follows each call. */
export async function timesOf(ms: number, pauseMs: number, act: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = []
  const until = performance.now() + ms
  while (performance.now() < until) {
    const from = performance.now()
    await act()
    times.push(performance.now() - from)
    await wait(pauseMs)
  }
  return times
}

/** Measures how many milliseconds another visitor's reads take, ten a second. */
export async function readTimes(server: MeasuredServer, ms: number): Promise<number[]> {
  const call = callAs(BENIGN)
  const clientId = newId()
  await call(server, messageOf(clientId, 'Good morning'))
  const path = `${API_PREFIX}${paths.conversation(clientId)}?after=0`
  return timesOf(ms, 100, () => call(server, { path }))
}

export function readP99(what: string, beside: number[], alone: number[]): Comparison {
  const p99 = `${what}: p99 of another visitor's reads meanwhile`
  return compared(p99, 'ms', quantile(beside, 0.99), quantile(alone, 0.99))
}

/** Counts what a server logs. */
export function logOf({ child }: MeasuredServer) {
  const log = { bytes: 0, lines: 0 }
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (text: string) => {
      log.bytes += Buffer.byteLength(text)
      log.lines += text.split('\n').length - 1
    })
  }
  return log
}

/** Lets visitors send files. Answers the admin's headers. */
export async function allowFiles(server: MeasuredServer): Promise<{ authorization: string }> {
  const { accessToken } = await signInAsAdmin(server.origin)
  const headers = { authorization: `Bearer ${accessToken}` }
  const url = `${server.origin}${API_PREFIX}/settings`
  const settings = await (await fetch(url, { headers })).json()
  const saved = await fetch(url, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({ ...(settings as object), files: true }),
  })
  if (!saved.ok) throw new Error(`settings: ${saved.status}`)
  return headers
}

export function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
