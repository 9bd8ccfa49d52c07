import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { buildApp } from './app.ts'
import { type FirstPassword, firstPasswordIn, startMessage } from './auth/first-password.ts'
import { seedSamples } from './content/seed-samples.ts'
import { type Env, readEnv } from './env.ts'
import { startProblem } from './startup-error.ts'
import { openStores } from './storage/open-storage.ts'
import type { Storage } from './storage/storage.ts'

/** With others beside it, a process that is to end goes on serving for so long: its proxy must notice first. */
const NOTICED_WITHIN_MS = 2_000
/** Requests under way get this long to end, then their connections are closed. */
const FINISH_WITHIN_MS = 5_000
/** Whatever still hangs then does not keep the process. */
const EXIT_WITHIN_MS = 9_000
const SWEEP_EVERY_MS = 60 * 60 * 1_000
/** How often a server asks whether the first password was used on another one. */
const LOOK_EVERY_MS = 60_000

try {
  await start(readEnv())
} catch (error) {
  console.error(startProblem(error, process.env.DATA_DIR || './data'))
  // Not at once: what was written to a pipe has still to leave.
  process.exitCode = 1
  setTimeout(() => process.exit(), 1_000).unref()
}

async function start(env: Env): Promise<void> {
  if (env.mongodbUrl === undefined) {
    // Two processes on one embedded database would not see each other's events.
    const { acquireInstanceLock } = await import('./storage/files/instance-lock.ts')
    const onWait = () => console.log('Waiting for the process that uses DATA_DIR …')
    await acquireInstanceLock(env.dataDir, { onWait })
  }
  let onDamage = (problem: Error) => console.error(problem.message)
  const stores = await announced(
    'Opening the database …',
    openStores(env, (problem) => onDamage(problem)),
  )
  const { storage } = stores
  // Before the first admin: an empty store is one in which there is not even that.
  await seedSamples({ storage, wanted: env.seedSamples, host: env.host, now: Date.now() })
  const app = await announced(
    'Putting the server together …',
    buildApp({ env, ...stores, dev: process.argv.includes('--dev') }),
  )
  app.accepting = false
  onDamage = (problem) => app.log.fatal(problem.message)
  await announced('Starting to listen …', app.listen({ host: env.host, port: env.port }))
  const isOneOfMany = env.redisUrl !== undefined || env.mongodbUrl !== undefined
  stopOnSignal(app, storage, isOneOfMany ? NOTICED_WITHIN_MS : 0)
  // Only now: a start that fails must not use up the one moment at which a generated password is shown.
  const isTerminal = process.stdout.isTTY === true
  const file = firstPasswordIn(env.dataDir)
  const { generatedPassword } = await app.auth.createFirstAdmin(
    env.adminUserName,
    env.adminPassword,
    isTerminal ? undefined : file,
  )
  await dropFirstPassword(app, env, file, storage)
  app.accepting = true

  sweep(app, storage)

  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : env.port
  const url = env.port === 0 ? env.publicUrl.replace(/:0$/, `:${port}`) : env.publicUrl
  const message = startMessage({
    brand: env.brand,
    url,
    userName: env.adminUserName,
    // What is not a terminal is a log, and a password has no place in one.
    generated: isTerminal ? generatedPassword : null,
    waiting: file.exists() ? file.path : null,
  })
  console.log(message)
}

/** Removes the file of the first password once it is used: at a sign-in here, or soon after one on another server. */
async function dropFirstPassword(
  app: Awaited<ReturnType<typeof buildApp>>,
  env: Env,
  file: FirstPassword,
  storage: Storage,
): Promise<void> {
  const look = async () => {
    try {
      await file.removeIfUsed(storage, env.adminUserName)
    } catch (error) {
      app.log.error({ err: error }, 'The file of the first password could not be removed')
    }
  }
  await look()
  if (!file.exists()) return
  app.auth.onSignedIn(look)
  const looking = setInterval(async () => {
    await look()
    if (!file.exists()) clearInterval(looking)
  }, LOOK_EVERY_MS).unref()
}

/** Sessions that nobody came back to leave no rows behind, and pictures of posts that were never saved no files. */
function sweep(app: Awaited<ReturnType<typeof buildApp>>, storage: Storage): void {
  const sweepAll = () => {
    storage.sessions.sweep(Date.now()).catch(() => {})
    app.uploads.sweep().catch((error) => app.log.error({ err: error }, 'sweeping uploads failed'))
  }
  sweepAll()
  setInterval(sweepAll, SWEEP_EVERY_MS).unref()
}

function stopOnSignal(
  app: Awaited<ReturnType<typeof buildApp>>,
  storage: Storage,
  noticedWithinMs: number,
): void {
  // Kept here because the HTTP server forgets a connection once it is a WebSocket.
  const connections = new Set<Socket>()
  app.server.on('connection', (connection: Socket) => {
    connections.add(connection)
    connection.once('close', () => connections.delete(connection))
  })
  let stopping = false
  const stop = async (signal: string) => {
    if (stopping) return
    stopping = true
    app.leaving = true
    app.log.info({ signal }, 'stopping')
    setTimeout(() => process.exit(0), EXIT_WITHIN_MS).unref()
    await wait(noticedWithinMs)
    app.accepting = false
    setTimeout(() => {
      for (const connection of connections) connection.destroy()
    }, FINISH_WITHIN_MS).unref()
    try {
      await app.close()
      await storage.close()
      process.exit(0)
    } catch (error) {
      app.log.error({ err: error }, 'stopping failed')
      process.exit(1)
    }
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
}

/** Says what takes so long, once it takes longer than a second. */
async function announced<T>(what: string, step: Promise<T> | PromiseLike<T>): Promise<T> {
  const done = new AbortController()
  wait(1_000, undefined, { signal: done.signal }).then(
    () => console.log(what),
    () => {},
  )
  try {
    return await step
  } finally {
    done.abort()
  }
}
