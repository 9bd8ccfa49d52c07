import { execFileSync, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { ADMIN } from './admin.ts'
import { BUNDLE, type ServerProcess, startServer, temporaryDir } from './server-process.ts'

const ROOT = join(import.meta.dirname, '../..')

const dir = temporaryDir('bundle')
const groups: number[] = []

// Does nothing when the bundle is up to date, as it is in `npm test`.
beforeAll(
  () => void execFileSync(process.execPath, [join(ROOT, 'api/tools/prepare.mjs'), '--build'], { cwd: ROOT }),
  240_000,
)
afterEach(() => {
  for (const group of groups.splice(0)) killGroup(group)
})
afterAll(() => dir.remove())

function scriptsIn(folder: string): string[] {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  return names.filter((name) => name.endsWith('.js')).map((name) => join(folder, name))
}

/** A script of the bundle and all that it imports before it runs. */
function importedBy(script: string, found = new Set<string>()): string[] {
  if (!found.has(script)) {
    found.add(script)
    const imports = readFileSync(script, 'utf8').matchAll(/^import .*?"(\.[^"]+)";$/gm)
    for (const [, path = ''] of imports) importedBy(join(dirname(script), path), found)
  }
  return [...found]
}

function killGroup(group: number): void {
  try {
    process.kill(-group, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** `npm start` in this checkout, until it prints its address. */
async function npmStart() {
  const child = spawn('npm', ['start'], {
    cwd: ROOT,
    detached: true,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, PORT: '0', DATA_DIR: dir.path },
  })
  const group = child.pid ?? 0
  groups.push(group)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const url = await vi.waitFor(
    () => {
      const found = /is running at (http:\S+)/.exec(output)?.[1]
      if (found === undefined) throw new Error(output)
      return found
    },
    { timeout: 50_000 },
  )
  const kill = () =>
    new Promise((resolve) => {
      child.once('close', resolve)
      killGroup(group)
    })
  return { url, kill, output: () => output }
}

/** Which of the libraries that take much memory the process has loaded. */
function nativeParts({ child }: ServerProcess): string[] {
  const maps = readFileSync(`/proc/${child.pid}/maps`, 'utf8')
  return ['argon2', 'libvips'].filter((name) => maps.includes(name))
}

describe.runIf(process.platform === 'linux')('the bundle of the server', { timeout: 120_000 }, () => {
  it('serves by npm start, and again after kill -9 without a build', async () => {
    const first = await npmStart()
    expect((await fetch(`${first.url}/readyz`)).status).toBe(200)
    await first.kill()
    const built = readFileSync(BUNDLE, 'utf8')
    const second = await npmStart()
    expect((await fetch(`${second.url}/faq`)).status).toBe(200)
    expect(second.output()).not.toContain('Building')
    expect(readFileSync(BUNDLE, 'utf8')).toBe(built)
    await second.kill()
  })

  it('imports no node:http, which would load undici at the start', () => {
    const importing = scriptsIn(dirname(BUNDLE)).filter((file) =>
      /from "(node:)?http"/.test(readFileSync(file, 'utf8')),
    )
    expect(importing).toEqual([])
  })

  it('starts without Intl, whose data take 8 MB of memory', async () => {
    // Prints each use.
    const watch = `
      const watched = [
        [Intl, Object.getOwnPropertyNames(Intl).filter((name) => typeof Intl[name] === 'function')],
        [Date.prototype, ['toLocaleString', 'toLocaleDateString', 'toLocaleTimeString']],
        [Number.prototype, ['toLocaleString']],
        [String.prototype, ['localeCompare']],
      ]
      for (const [owner, names] of watched) for (const name of names) {
        const print = (how) => (...call) => (console.log('USED', name), Reflect[how](...call))
        owner[name] = new Proxy(owner[name], { apply: print('apply'), construct: print('construct') })
      }`
    const server = await startServer({
      entry: BUNDLE,
      dataDir: join(dir.path, 'without-intl'),
      env: { SERVE_WEB: 'true' },
      execArgv: ['--import', `data:text/javascript,${encodeURIComponent(watch)}`],
    })
    try {
      await vi.waitFor(() => expect(server.output()).toContain('is running at'), { timeout: 50_000 })
      expect(server.output()).not.toContain('USED')
    } finally {
      await server.stop()
    }
  })

  it('is ASCII, and so are the bundled pages: V8 would keep twice the memory', () => {
    const folders = [dirname(BUNDLE), join(ROOT, 'web/dist/server')]
    const wide = folders.flatMap((folder) =>
      scriptsIn(folder).filter((file) => /\P{ASCII}/u.test(readFileSync(file, 'utf8'))),
    )
    expect(wide).toEqual([])
  })

  it('leaves the parser of posts to the first that is read, and that of SVG to its thread', () => {
    const loaded = importedBy(BUNDLE).map((file) => readFileSync(file, 'utf8'))
    const all = scriptsIn(dirname(BUNDLE)).map((file) => readFileSync(file, 'utf8'))
    const has = (scripts: string[], parser: string) =>
      scripts.some((script) => script.includes(`node_modules/${parser}/`))
    expect([has(all, 'sanitize-html'), has(loaded, 'sanitize-html'), has(all, 'saxes')]).toEqual([
      true,
      false,
      false,
    ])
  })

  it('loads what the start leaves out when it is first needed', async () => {
    const start = (env: Record<string, string> = {}) =>
      startServer({
        entry: BUNDLE,
        dataDir: join(dir.path, 'lazy'),
        env: { METRICS_TOKEN: 'a-token-of-the-test-only', ...env },
      })
    // The first start hashes the password of the first admin; a later one compares it with ADMIN_PASSWORD.
    await (await start()).stop()
    const server = await start({ ADMIN_PASSWORD: '' })
    try {
      const document = (await (await fetch(`${server.origin}/docs/json`)).json()) as { openapi: string }
      expect(document.openapi).toBe('3.1.0')
      const metrics = await fetch(`${server.origin}/metrics`, {
        headers: { authorization: 'Bearer a-token-of-the-test-only' },
      })
      expect(await metrics.text()).toContain('proctorpass_')
      expect(nativeParts(server)).toEqual([])
      expect(await uploadPng(server)).toMatchObject({ data: { width: 1, height: 1 } })
      expect(nativeParts(server)).toEqual(['argon2', 'libvips'])
    } finally {
      await server.stop()
    }
  })
})

async function uploadPng(server: ServerProcess): Promise<unknown> {
  const signIn = await fetch(`${server.origin}/api/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  const { accessToken } = (await signIn.json()) as { accessToken: string }
  const form = new FormData()
  form.append(
    'file',
    new File([readFileSync(join(import.meta.dirname, 'pictures/1x1.png'))], 'dot.png', { type: 'image/png' }),
  )
  const answer = await fetch(`${server.origin}/api/uploads`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}` },
    body: form,
  })
  return answer.json()
}
