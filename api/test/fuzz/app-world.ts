import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ErrorSchema } from '@proctorpass/shared/schemas/error'
import { Compile } from 'typebox/compile'
import { buildTestApp, type TestApp } from '../build-app.ts'
import { makeWorld, type StrangerCall, type StrangerWorld } from '../stranger-calls.ts'
import { makeWebBuild } from '../web-build.ts'
import { checkStoredRows } from './stored-rows.ts'

/** How many inputs a store takes before a new one replaces it. */
const RUNS_OF_STORE = 1_000
const PINO_ERROR = 50

const errorCheck = Compile(ErrorSchema)

export interface AppWorld {
  test: TestApp
  stranger: StrangerWorld
  bearer: { authorization: string }
  origin: string
}

/** The app without rate limits, and with what strangers find on it. A new store replaces a full one. */
export function createAppWorlds() {
  const build = makeWebBuild()
  let world: AppWorld | null = null
  let dataDir = ''
  let runs = 0

  async function open(): Promise<AppWorld> {
    dataDir = mkdtempSync(join(tmpdir(), 'proctorpass-fuzz-app-'))
    const test = await buildTestApp({
      ...{ dataDir, distDir: build.distDir },
      variables: {
        ...{
          SERVE_WEB: 'true',
          PUBLIC_REVIEWS: 'moderated',
          RATE_LIMITS: 'off',
          PUBLIC_URL: 'http://localhost',
        },
      },
    })
    await test.app.listen({ host: '127.0.0.1', port: 0 })
    const { bearer } = await test.signIn()
    const ask = async ({ method, path, headers, type, body }: StrangerCall) => {
      const answer = await test.app.inject({
        ...{ method: method as 'GET', url: path, payload: body ?? '' },
        headers: { ...headers, ...(type === undefined ? {} : { 'content-type': type }) },
      })
      if (answer.statusCode >= 300) throw new Error(`${path}: ${answer.body}`)
      return answer.json()
    }
    const stranger = await makeWorld(ask, bearer)
    const origin = `127.0.0.1:${(test.app.server.address() as AddressInfo).port}`
    return { test, stranger, bearer, origin }
  }

  async function end(): Promise<void> {
    if (world === null) return
    const { test } = world
    world = null
    await test.close()
    await checkStoredRows(dataDir)
    rmSync(dataDir, { recursive: true })
  }

  return {
    async beforeRun(): Promise<void> {
      if (world === null || runs % RUNS_OF_STORE === 0) {
        await end()
        world = await open()
      }
      runs += 1
    },
    get world(): AppWorld {
      if (world === null) throw new Error('There is no world yet.')
      return world
    },
    /** A number that no other run has. */
    get run(): number {
      return runs
    },
    async close(): Promise<void> {
      await end()
      build.remove()
    },
  }
}

/** Throws if the app has logged an error since the last call. */
export function checkLog({ log }: TestApp): void {
  for (const line of log.splice(0)) {
    if (line.startsWith('{') && JSON.parse(line).level >= PINO_ERROR) throw new Error(`The log says: ${line}`)
  }
}

/** Throws unless it is an error that a program and a person can use. */
export function checkError(error: unknown): void {
  const { message = '', code } = (error ?? {}) as { message?: unknown; code?: unknown }
  const isSentence =
    /^\P{Cc}{5,400}$/u.test(String(message)) && !/schema|undefined|\[object/.test(String(message))
  if (!errorCheck.Check(error) || code === 'internal' || !isSentence)
    throw new Error(`The error is ${JSON.stringify(error)?.slice(0, 500)}.`)
}
