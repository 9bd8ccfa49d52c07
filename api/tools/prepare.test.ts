import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'

// Each starts npm several times, and one waits ten seconds for the lock of a killed run.
vi.setConfig({ testTimeout: 240_000 })

// A small checkout: the real script and the real npm, with fakes of Node and Vite that need no registry.
let root = ''

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'proctorpass-prepare-'))
  mkdirSync(join(root, 'api/tools'), { recursive: true })
  cpSync(join(import.meta.dirname, 'prepare.mjs'), join(root, 'api/tools/prepare.mjs'))
  const dependencies = { node: 'file:fakes/node', vite: 'file:fakes/vite' }
  const node = { name: 'node', version: '1.0.0', bin: { node: 'node.sh' } }
  const vite = { name: 'vite', version: '1.0.0', hasInstallScript: true }
  const devDependencies = { vitest: 'file:fakes/vitest' }
  const vitest = { name: 'vitest', version: '1.0.0' }
  write('package.json', JSON.stringify({ name: 'small', dependencies, devDependencies }))
  write('fakes/node/package.json', JSON.stringify(node))
  write('fakes/node/node.sh', `#!/bin/sh\nexec '${process.execPath}' "$@"\n`)
  chmodSync(join(root, 'fakes/node/node.sh'), 0o755)
  const scripts = { postinstall: 'touch ../../vite-script-ran' }
  write('fakes/vite/package.json', JSON.stringify({ ...vite, scripts }))
  write('fakes/vitest/package.json', JSON.stringify(vitest))
  write(
    'fakes/vite/bin/vite.js',
    "require('node:fs').appendFileSync('../builds', require('node:path').basename(process.cwd()) + '\\n')",
  )
  write(
    'package-lock.json',
    JSON.stringify({
      name: 'small',
      lockfileVersion: 3,
      packages: {
        '': { name: 'small', dependencies, devDependencies },
        'fakes/node': node,
        'fakes/vite': vite,
        'fakes/vitest': { ...vitest, dev: true },
        'node_modules/node': { resolved: 'fakes/node', link: true },
        'node_modules/vite': { resolved: 'fakes/vite', link: true },
        'node_modules/vitest': { resolved: 'fakes/vitest', link: true },
      },
    }),
  )
  write('tsconfig.json', '{}')
  write('shared/src/limits.ts', 'export const LIMIT = 1')
  write('web/src/page.ts', 'export const page = 1')
  write('api/package.json', '{}')
  write('api/vite.config.ts', 'export default {}')
  write('api/vite-texts.ts', 'export {}')
  write('web/build/compile-texts.ts', 'export {}')
  write('api/src/server.ts', 'export const server = 1')
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(root, { recursive: true, force: true })
})

async function prepare(...args: string[]): Promise<{ code: number | null; output: string }> {
  const child: ChildProcess = spawn(process.execPath, [join(root, 'api/tools/prepare.mjs'), ...args])
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  return { code, output }
}

/** Replaces npm with a program. */
function useNpm(program: string): void {
  write('npm-cli.js', program)
  vi.stubEnv('npm_execpath', join(root, 'npm-cli.js'))
}

/** A file that stays until npm replaces all packages. */
function markPackages(): { areOld(): boolean } {
  write('node_modules/.old', '')
  return { areOld: () => existsSync(join(root, 'node_modules/.old')) }
}

const hasDev = () => existsSync(join(root, 'node_modules/vitest'))

/** The folders that were built, in order. */
function builds(): string[] {
  return existsSync(join(root, 'builds')) ? readFileSync(join(root, 'builds'), 'utf8').trim().split('\n') : []
}

it('installs and builds once, and is silent when nothing has changed', async () => {
  expect((await prepare('--build')).code).toBe(0)
  expect(existsSync(join(root, 'node_modules/.bin/node'))).toBe(true)
  expect(existsSync(join(root, 'vite-script-ran')), 'only Node runs install scripts').toBe(false)
  expect(builds()).toEqual(['web', 'api'])
  expect(await prepare('--build')).toEqual({ code: 0, output: '' })
  expect(builds()).toEqual(['web', 'api'])
})

it('builds again after a change of a source, but not of a test', async () => {
  await prepare('--build')
  write('web/src/page.test.ts', 'export {}')
  await prepare('--build')
  expect(builds()).toEqual(['web', 'api'])
  write('shared/src/limits.ts', 'export const LIMIT = 2')
  await prepare('--build')
  expect(builds()).toEqual(['web', 'api', 'web', 'api'])
})

it('builds only what a changed source or a lost output belongs to', async () => {
  await prepare('--build')
  rmSync(join(root, 'web/dist'), { recursive: true })
  await prepare('--build')
  expect(builds()).toEqual(['web', 'api', 'web'])
  // Compiled code of the last bundle, which no later one reads.
  write('node_modules/.cache/start/compiled', '')
  write('api/src/server.ts', 'export const server = 2')
  await prepare('--build')
  expect(builds()).toEqual(['web', 'api', 'web', 'api'])
  expect(existsSync(join(root, 'node_modules/.cache/start'))).toBe(false)
  // The server's bundle has the texts in it.
  write('web/build/compile-texts.ts', 'export const changed = 1')
  await prepare('--build')
  expect(builds().slice(4).sort()).toEqual(['api', 'web'])
})

it('builds again after a kill during a build', async () => {
  await prepare('--build')
  const vite = readFileSync(join(root, 'fakes/vite/bin/vite.js'), 'utf8')
  write('fakes/vite/bin/vite.js', `process.kill(process.ppid, 'SIGKILL')`)
  write('api/src/server.ts', 'export const server = 2')
  expect((await prepare('--build')).code).toBe(null)
  write('fakes/vite/bin/vite.js', vite)
  // The source as it was when the last finished build read it: its output may be half overwritten.
  write('api/src/server.ts', 'export const server = 1')
  expect((await prepare('--build')).code).toBe(0)
  expect(builds()).toEqual(['web', 'api', 'api'])
})

it('installs again after a change of the lock file', async () => {
  await prepare()
  rmSync(join(root, 'node_modules/.bin/node'))
  appendFileSync(join(root, 'package-lock.json'), '\n')
  expect((await prepare()).code).toBe(0)
  expect(existsSync(join(root, 'node_modules/.bin/node'))).toBe(true)
})

it('adds packages for development when they are first asked for, and keeps them', async () => {
  await prepare('--build')
  expect(hasDev()).toBe(false)
  const packages = markPackages()
  expect((await prepare('--dev')).code).toBe(0)
  expect([hasDev(), packages.areOld()]).toEqual([true, true])
  expect(await prepare('--dev', '--build')).toEqual({ code: 0, output: '' })
  expect(await prepare('--build')).toEqual({ code: 0, output: '' })
  appendFileSync(join(root, 'package-lock.json'), '\n')
  expect((await prepare()).code).toBe(0)
  expect([hasDev(), packages.areOld()]).toEqual([true, false])
})

it('installs packages for development on a fresh clone, whatever NODE_ENV is', async () => {
  vi.stubEnv('NODE_ENV', 'production')
  expect((await prepare('--dev')).code).toBe(0)
  expect(hasDev()).toBe(true)
})

it('keeps what is there when npm fails to add packages', async () => {
  await prepare()
  const packages = markPackages()
  useNpm(`console.error('no network'); process.exit(1)`)
  const { code, output } = await prepare('--dev')
  expect([code, output]).toEqual([1, expect.stringContaining('no network')])
  expect(await prepare()).toEqual({ code: 0, output: '' })
  vi.unstubAllEnvs()
  expect((await prepare('--dev')).code).toBe(0)
  expect([hasDev(), packages.areOld()]).toEqual([true, true])
})

it.each([
  ['this run', 'process.kill(process.ppid, "SIGKILL")', null],
  ['npm', 'process.kill(process.pid, "SIGKILL")', 1],
])('replaces all packages after a kill of %s while npm added some', async (_title, program, code) => {
  await prepare()
  const packages = markPackages()
  useNpm(program)
  expect((await prepare('--dev')).code).toBe(code)
  vi.unstubAllEnvs()
  expect(await prepare(), 'serving needs none of them').toEqual({ code: 0, output: '' })
  expect(packages.areOld()).toBe(true)
  expect((await prepare('--dev')).code).toBe(0)
  expect([hasDev(), packages.areOld()]).toEqual([true, false])
})

it('installs again when the Node that runs it is removed by that', async () => {
  await prepare()
  const installed = join(root, 'node_modules/installed-node')
  cpSync(process.execPath, installed)
  appendFileSync(join(root, 'package-lock.json'), '\n')
  const npm = execFileSync('sh', ['-c', 'command -v npm'], { encoding: 'utf8' }).trim()
  const env = { ...process.env, npm_execpath: realpathSync(npm) }
  const child = spawn(installed, [join(root, 'api/tools/prepare.mjs')], { env, stdio: 'inherit' })
  expect(await once(child, 'close')).toEqual([0, null])
  expect(existsSync(installed)).toBe(false)
  expect(existsSync(join(root, 'node_modules/.bin/node'))).toBe(true)
})

it('serializes two runs in one checkout', async () => {
  const runs = await Promise.all([prepare('--build'), prepare('--build')])
  expect(runs.map(({ code }) => code)).toEqual([0, 0])
  expect(builds()).toEqual(['web', 'api'])
  expect(existsSync(join(root, '.prepare.lock'))).toBe(false)
})

it('fails with the output of the command, and starts over the next time', async () => {
  const vite = readFileSync(join(root, 'fakes/vite/bin/vite.js'), 'utf8')
  write('fakes/vite/bin/vite.js', "console.error('no such page'); process.exit(3)")
  const { code, output } = await prepare('--build')
  expect(code).toBe(1)
  expect(output).toMatch(/^Building the pages failed: .* ended with 3\.$/m)
  expect(output).toContain('no such page')
  write('fakes/vite/bin/vite.js', vite)
  expect((await prepare('--build')).code).toBe(0)
  expect(builds()).toEqual(['web', 'api'])
})
