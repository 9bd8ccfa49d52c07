// Installs the lock file's packages and, with --build, builds the pages and the server's bundle; does nothing when all
// are up to date. It installs `devDependencies` only with --dev; building and serving need none of them.
// Plain JavaScript without packages: on a fresh clone it runs first, under the system's Node (20 or newer).
// See docs/decisions/0001-node-from-npm.md.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimes,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
/**
 * The lock file's hash, once its `dependencies` are installed; then ` adding` until its `devDependencies` are, and ` dev`
 * from then on.
 */
const installedMark = join(root, 'node_modules/.installed')
/** What Vite builds: each into `dist` of its folder, from these folders and files. */
const BUILDS = [
  { title: 'Building the pages', folder: 'web', inputs: ['tsconfig.json', 'web', 'shared'] },
  {
    title: 'Building the server',
    folder: 'api',
    inputs: [
      ...['api/package.json', 'api/vite.config.ts', 'api/vite-texts.ts', 'api/src', 'shared'],
      'web/build/compile-texts.ts',
    ],
    // Node's compile cache of `npm start`, which would grow with each build.
    cache: 'node_modules/.cache/start',
  },
]
const lockFile = join(root, '.prepare.lock')
/** A running owner touches its lock every second, a killed one does not. */
const LOCK_STALE_MS = 10_000

/** Running child processes, to be stopped with this process. */
const children = new Set()

async function main() {
  if (Number(process.versions.node.split('.')[0]) < 20) {
    throw new Error(`Node 20 or newer is needed; this is ${process.versions.node}.`)
  }
  const dev = process.argv.includes('--dev')
  const builds = process.argv.includes('--build') ? BUILDS : []
  if (isInstalled(dev) && builds.every(isBuilt)) return

  const release = await acquireLock()
  try {
    // Another run may have done the work during the wait.
    if (!isInstalled(dev)) await install(dev)
    for (const outdated of builds.filter((each) => !isBuilt(each))) await runBuild(outdated)
  } finally {
    release()
  }
}

function isInstalled(dev) {
  const { hash, added } = installed()
  return hash === lockHash() && (!dev || added === 'dev')
}

function installed() {
  const [hash, added] = existsSync(installedMark) ? readFileSync(installedMark, 'utf8').split(' ') : []
  return { hash, added }
}

function lockHash() {
  return hashOf([join(root, 'package-lock.json')], `${process.platform} ${process.arch}`)
}

async function install(dev) {
  const { hash, added } = installed()
  const title = dev ? 'Installing packages for development' : 'Installing packages'
  await step(title, () =>
    hash === lockHash() && added === undefined ? addDev() : installAll(dev || added !== undefined),
  )
}

/** Removes no package: a server may run on those that are there, and loads some of them late. */
async function addDev() {
  // A killed run may leave half a package, which npm would take for a whole one.
  writeFileSync(installedMark, `${lockHash()} adding`)
  try {
    await runNpm('install', '--no-save', '--include=dev', '--ignore-scripts', '--loglevel=error')
  } catch (error) {
    // An npm that fails removes what it has added. A killed one does not.
    if (typeof error.code === 'number') writeFileSync(installedMark, lockHash())
    throw error
  }
  writeFileSync(installedMark, `${lockHash()} dev`)
}

async function installAll(dev) {
  rmSync(installedMark, { force: true })
  // Whatever NODE_ENV is. Of the install scripts only Node's is needed; others download what only tests use. Older
  // versions of npm ignore `allowScripts`.
  await runNpm('ci', dev ? '--include=dev' : '--omit=dev', '--ignore-scripts', '--loglevel=error')
  await runNpm('rebuild', 'node', '--loglevel=error')
  if (!existsSync(join(root, 'node_modules/.bin/node'))) {
    throw new Error('Node was not installed with the packages: npm must be allowed to run install scripts.')
  }
  // The script links to the binary in a package with 67 MB of header files.
  rmSync(join(root, 'node_modules/node/node_modules'), { recursive: true, force: true })
  writeFileSync(installedMark, dev ? `${lockHash()} dev` : lockHash())
}

/** With the npm that runs this. `npm ci` removes the Node that runs this when it is the installed one. */
async function runNpm(...args) {
  const npm = process.env.npm_execpath
  if (!npm?.endsWith('npm-cli.js')) return run('npm', args, root)
  await run(existsSync(process.execPath) ? process.execPath : 'node', [npm, ...args], root)
}

function isBuilt(build) {
  return markIs(builtMark(build), inputsHash(build))
}

/** In the output, so that it disappears with it. */
function builtMark({ folder }) {
  return join(root, folder, 'dist/.built')
}

function inputsHash({ inputs }) {
  const files = [join(root, 'package-lock.json')]
  for (const input of inputs) collect(join(root, input), files)
  return hashOf(files)
}

function collect(path, files) {
  if (!statSync(path).isDirectory()) return files.push(path)
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const inside = join(path, entry.name)
    if (entry.isDirectory()) {
      if (!['node_modules', 'dist', 'e2e', 'measure', 'testing', 'test-results'].includes(entry.name))
        collect(inside, files)
    } else if (!/\.test\.tsx?$|^playwright/.test(entry.name)) {
      files.push(inside)
    }
  }
}

async function runBuild(build) {
  const hash = inputsHash(build)
  const mark = builtMark(build)
  rmSync(mark, { force: true })
  if (build.cache) rmSync(join(root, build.cache), { recursive: true, force: true })
  const node = join(root, 'node_modules/.bin/node')
  const vite = join(root, 'node_modules/vite/bin/vite.js')
  await step(build.title, () =>
    run(node, [vite, 'build', '--logLevel=warn'], join(root, build.folder), { NODE_ENV: 'production' }),
  )
  mkdirSync(dirname(mark), { recursive: true })
  writeFileSync(mark, hash)
}

function markIs(path, hash) {
  return existsSync(path) && readFileSync(path, 'utf8') === hash
}

function hashOf(files, salt = '') {
  const hash = createHash('sha256').update(salt)
  for (const file of files.sort()) {
    hash.update(`\0${file.slice(root.length)}\0`).update(readFileSync(file))
  }
  return hash.digest('hex')
}

/** Logs the step when it takes longer than a second. */
async function step(title, work) {
  const started = Date.now()
  const notice = setTimeout(() => console.log(`${title}…`), 1000)
  try {
    await work()
  } catch (error) {
    throw Object.assign(error, { message: `${title} failed: ${error.message}` })
  } finally {
    clearTimeout(notice)
  }
  const ms = Date.now() - started
  if (ms > 1000) console.log(`${title}: done in ${(ms / 1000).toFixed(1)} s`)
}

/** Runs a command quietly. If it fails, the error has its output, and its exit code or signal as `code`. */
async function run(command, args, cwd, env = {}) {
  const output = []
  // The installed Node first, so that install scripts and the build run on the version of the server.
  const path = [join(root, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, PATH: path, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // On Windows npm is a script, which needs a shell.
    shell: process.platform === 'win32' && command === 'npm',
  })
  children.add(child)
  child.stdout.on('data', (chunk) => output.push(chunk))
  child.stderr.on('data', (chunk) => output.push(chunk))
  const code = await new Promise((resolve) => {
    child.on('error', (error) => resolve(error.code))
    child.on('close', (status, signal) => resolve(status ?? signal))
  })
  children.delete(child)
  if (code !== 0)
    throw Object.assign(
      new Error(`${command} ended with ${code}.\n\n${Buffer.concat(output).toString().trim()}\n`),
      { code },
    )
}

/** Serializes concurrent runs in one checkout. Resolves to the function that releases the lock. */
async function acquireLock() {
  const notice = setTimeout(() => console.log('Waiting for another run that prepares this checkout…'), 1000)
  for (;;) {
    try {
      closeSync(openSync(lockFile, 'wx'))
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
    }
    const age = Date.now() - (statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
    if (age > LOCK_STALE_MS) rmSync(lockFile, { force: true })
    await delay(100)
  }
  clearTimeout(notice)
  const heartbeat = setInterval(() => utimes(lockFile, new Date(), new Date(), () => {}), 1000)
  const release = () => {
    clearInterval(heartbeat)
    rmSync(lockFile, { force: true })
  }
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ]) {
    process.once(signal, () => {
      for (const child of children) child.kill(signal)
      release()
      process.exit(code)
    })
  }
  return release
}

main().catch((error) => {
  console.error(error.message)
  process.exit(1)
})
