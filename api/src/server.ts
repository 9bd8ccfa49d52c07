import { flushCompileCache } from 'node:module'
import type { Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { buildApp } from './app.ts'
import { type FirstPassword, firstPasswordIn, startMessage } from './auth/first-password.ts'
import { seedSamples } from './content/seed-samples.ts'
import { dataDirIn, type Env, readEnv } from './env/env.ts'
import { commandLine, VERSION } from './installation.ts'
import { startupErrorMessage } from './startup-error.ts'
import type { Storage } from './storage/model/storage.ts'
import { openStores } from './storage/open-storage.ts'
import { sweepRegularly } from './sweep-regularly.ts'

/** If there are several nodes, one keeps serving for this long after SIGTERM, until its proxy has noticed. */
const DRAIN_MS = 2_000
/**
 * Open connections get answers for this long once nothing is accepted, because a client may have sent its next request.
 */
const LAST_REQUESTS_MS = 1_000
/** In-flight requests get this long, then their connections are closed. */
const FINISH_WITHIN_MS = 5_000
/** The process exits after this long in any case. */
const EXIT_WITHIN_MS = 9_000
/**
 * How many connections the system holds until the server accepts them; Linux allows up to net.core.somaxconn, by default
 * 4,096. With Node's default of 511, thousands of visitors who connect at once after a restart are not answered, and
 * their systems try again only after one second, then two, then four.
 */
const BACKLOG = 4_096
/** How often a node checks whether the first password was used on another node. */
const PASSWORD_CHECK_EVERY_MS = 60_000

try {
  if (process.argv.includes('--version')) console.log(VERSION)
  else await start(readEnv())
} catch (error) {
  console.error(await startupErrorMessage(error, dataDirIn()))
  // The process exits later, because output written to a pipe must be flushed first.
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
  const stores = await logIfSlow(
    'Opening the database …',
    openStores(env, {
      onDamage: (problem) => onDamage(problem),
      onUpgrading: (step, steps) => console.log(`Upgrading the database: step ${step} of ${steps} …`),
      onUpgraded: (from, to) =>
        console.log(`The database was upgraded from schema version ${from} to ${to}.`),
    }),
  )
  const { storage } = stores
  // This comes before the first admin is created, because only a store without one is empty.
  await seedSamples({ storage, requested: env.seedSamples, host: env.host, now: Date.now() })
  const app = await logIfSlow(
    'Building the server …',
    // Without MongoDB, the instance lock guarantees that this process is alone.
    buildApp({ env, ...stores, isAlone: env.mongodbUrl === undefined, dev: process.argv.includes('--dev') }),
  )
  app.accepting = false
  onDamage = (problem) => app.log.fatal(problem.message)
  await logIfSlow('Opening the port …', app.listen({ host: env.host, port: env.port, backlog: BACKLOG }))
  const isOneOfSeveral = env.redisUrl !== undefined || env.mongodbUrl !== undefined
  stopOnSignal(app, storage, isOneOfSeveral ? DRAIN_MS : 0)
  // The first admin is created after listening, because a failed start must not lose a generated password, which is
  // shown once.
  const isTerminal = process.stdout.isTTY === true
  const file = firstPasswordIn(env.dataDir)
  const { generatedPassword, ignored } = await app.useCases.auth.createFirstAdmin(
    env.adminUserName,
    env.adminPassword,
    isTerminal ? undefined : file,
  )
  await removeFirstPassword(app, env, file, storage)
  app.accepting = true

  sweepRegularly(app, storage)

  const address = app.server.address()
  const port = typeof address === 'object' && address !== null ? address.port : env.port
  const url = env.port === 0 ? env.publicUrl.replace(/:0$/, `:${port}`) : env.publicUrl
  const message = startMessage({
    brand: env.brand,
    url,
    userName: env.adminUserName,
    // Other outputs are logs, which must not contain passwords.
    generated: isTerminal ? generatedPassword : null,
    waiting: file.exists() ? file.path : null,
  })
  console.log(message)
  for (const notice of env.notices) console.warn(notice)
  if (ignored) {
    console.warn(
      `ADMIN_PASSWORD is not used, because there is an admin already. To set a new password: ${commandLine('admin', 'reset NAME')}.`,
    )
  }
  if (env.mail !== null && !env.publicUrlIsSet) {
    console.warn(`PUBLIC_URL is not set: the links in mails lead to ${url}.`)
  }
  // This writes the compiled code for the next start, because a killed process would not write it. It does nothing
  // without NODE_COMPILE_CACHE.
  flushCompileCache()
}

/** Removes the file of the first password once it was used, on this node or another. */
async function removeFirstPassword(
  app: Awaited<ReturnType<typeof buildApp>>,
  env: Env,
  file: FirstPassword,
  storage: Storage,
): Promise<void> {
  const removeIfUsed = async () => {
    try {
      await file.removeIfUsed(storage, env.adminUserName)
    } catch (error) {
      app.log.error({ err: error }, "the first password's file couldn't be deleted")
    }
  }
  await removeIfUsed()
  if (!file.exists()) return
  app.useCases.auth.onSignedIn(removeIfUsed)
  const timer = setInterval(async () => {
    await removeIfUsed()
    if (!file.exists()) clearInterval(timer)
  }, PASSWORD_CHECK_EVERY_MS).unref()
}

function stopOnSignal(app: Awaited<ReturnType<typeof buildApp>>, storage: Storage, drainMs: number): void {
  // The HTTP server does not track connections that became WebSockets.
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
    if (drainMs > 0) await wait(drainMs)
    app.accepting = false
    for (const until = performance.now() + LAST_REQUESTS_MS; performance.now() < until; ) {
      if (connections.size === 0) break
      await wait(20)
    }
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

/** Prints the step if it takes longer than a second. */
async function logIfSlow<T>(what: string, step: Promise<T> | PromiseLike<T>): Promise<T> {
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
