import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { VERSION } from '../src/installation.ts'
import { brokenLinks } from '../tools/docs.ts'
import server from '../vite.config.ts'
import { ADMIN } from './admin.ts'
import { newClientId } from './build-app.ts'
import { asRun, IN_A_RELEASE, IN_ITS_FOLDER, STARTS_OF_A_RELEASE } from './documented-commands.ts'
import { temporaryDir } from './server-process.ts'
import { Shell } from './shell-commands.ts'

const ROOT = join(import.meta.dirname, '../..')
const dir = temporaryDir('release')
const NAME = `proctorpass-${VERSION}`
const release = join(dir.path, NAME)
/** The folder in which an operator works. */
const site = join(dir.path, 'site')
/** All that the machine offers besides Node: no npm, no build tools. */
const TOOLS = join(dir.path, 'tools')
const NODE = join(dir.path, 'node')
const PATH = `${TOOLS}:${NODE}`
const shell = new Shell(site, { PATH, PORT: '0' })
/** Of a machine with tools, as the documents expect it. */
const operator = new Shell(site, { PATH: `${NODE}:${process.env.PATH}`, PORT: '0' })

function makeRelease(to: string, umask: string): void {
  const command = `umask ${umask}; exec "$0" api/tools/release.ts --cpu ${process.arch} --to "${to}"`
  execFileSync('sh', ['-c', command, process.execPath], {
    cwd: ROOT,
    stdio: 'pipe',
    // Also where git is missing.
    env: { ...process.env, SOURCE_DATE_EPOCH: '1700000000' },
  })
}

const sumsIn = (folder: string) => readFileSync(join(folder, 'SHA256SUMS'), 'utf8')

/** Runs a command of the release in the operator's folder. */
function proctorpass(args: string[], env: Record<string, string> = {}) {
  const { status, stdout, stderr } = spawnSync(join(release, 'proctorpass'), args, {
    ...{ cwd: site, encoding: 'utf8', env: { PATH, ...env } },
  })
  return { status, out: stdout, err: stderr }
}

async function post(url: string, body: object): Promise<{ status: number; body: unknown }> {
  const headers = { 'content-type': 'application/json' }
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: await answer.json() }
}

describe.runIf(process.platform === 'linux')('the release file', { timeout: 240_000 }, () => {
  beforeAll(() => {
    // Does nothing when the bundle is up to date, as it is in `npm test`.
    execFileSync(process.execPath, [join(ROOT, 'api/tools/prepare.mjs'), '--build'], { cwd: ROOT })
    makeRelease(join(dir.path, 'first'), '022')
    const sums = spawnSync('sha256sum', ['--check', '--status', 'SHA256SUMS'], {
      cwd: join(dir.path, 'first'),
    })
    expect(sums.status).toBe(0)
    execFileSync('tar', ['-xzf', join(dir.path, `first/${NAME}.tar.gz`), '-C', dir.path])
    for (const folder of [TOOLS, NODE, site]) mkdirSync(folder)
    for (const name of ['dirname', 'readlink', 'cat'])
      symlinkSync(
        execFileSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim(),
        join(TOOLS, name),
      )
    symlinkSync(process.execPath, join(NODE, 'node'))
    writeFileSync(join(site, '.env'), `ADMIN_USERNAME=${ADMIN.userName}\nADMIN_PASSWORD=${ADMIN.password}\n`)
  }, 240_000)
  afterAll(() => {
    shell.close()
    operator.close()
    dir.remove()
  })

  it('has the same bytes each time', () => {
    makeRelease(join(dir.path, 'second'), '077')
    expect(sumsIn(join(dir.path, 'second'))).toBe(sumsIn(join(dir.path, 'first')))
  })

  it('lists its packages, with licenses', () => {
    const bom = JSON.parse(readFileSync(join(dir.path, `first/${NAME}.cdx.json`), 'utf8'))
    const names: string[] = bom.components.map(({ name }: { name: string }) => name)
    const licenses = readFileSync(join(release, 'THIRD-PARTY-LICENSES.txt'), 'utf8')
    // In the server's bundle, in that of the pages, and beside both.
    for (const name of ['fastify', 'react', 'sharp', 'mongodb']) {
      expect(names).toContain(name)
      expect(licenses).toMatch(new RegExp(`^${name} [0-9.]+ \\(`, 'm'))
    }
    for (const text of [
      'GNU LESSER GENERAL PUBLIC LICENSE',
      'Redis, inc.',
      'James Sumners',
      'Isaac Z. Schlueter',
    ])
      expect(licenses).toContain(text)
    expect(names.filter((name) => /vitest|win32|musl|^node$/.test(name))).toEqual([])
    expect(bom.metadata.component).toMatchObject({ name: 'proctorpass', version: VERSION })
    expect(bom.serialNumber).toBeUndefined()
  })

  it('has what its documents link to and begin with, and no tests of packages', () => {
    expect(brokenLinks(release)).toEqual([])
    for (const name of ['compose.yaml', '.env.example', 'Dockerfile', 'mongodb-setup.js', 'Caddyfile'])
      expect(existsSync(join(release, 'deploy', name)), name).toBe(true)
    const files = readdirSync(join(release, 'node_modules'), { recursive: true, encoding: 'utf8' })
    expect(files.filter((file) => /(^|\/)(tests?|__tests__)(\/|\.js$)|\.(test|spec)\./.test(file))).toEqual(
      [],
    )
  })

  it('serves a chat, and backs it up and restores it, without npm', async () => {
    const server = await shell.start(join(release, 'proctorpass'))
    expect(await (await fetch(`${server.url}/healthz`)).json()).toMatchObject({ version: VERSION })
    expect(await (await fetch(`${server.url}/faq`)).text()).toContain('<h1')
    const clientId = newClientId()
    const message = { clientId, senderId: clientId, message: 'hello', nonce: 'nonce-0001' }
    expect(await post(`${server.url}/api/chat`, message)).toMatchObject({ status: 201 })
    expect(await post(`${server.url}/api/auth`, ADMIN)).toMatchObject({ status: 200 })

    expect(proctorpass(['admin', 'create', 'zoe'])).toMatchObject({ status: 0 })
    expect(proctorpass(['audit', 'verify'])).toMatchObject({ status: 0 })
    const { out } = proctorpass(['doctor'])
    expect(out).toMatch(/^ok {5}store .* 2 admins, 1 conversation, 1 message$/m)
    expect(out).toMatch(/^ok {5}languages {4}22 languages in the release$/m)
    expect(proctorpass(['backup', 'a.backup'])).toMatchObject({ status: 0, err: '' })
    await server.stop()
    const restored = proctorpass(['restore', 'a.backup'], { DATA_DIR: 'restored' })
    expect(restored).toMatchObject({ status: 0, err: '' })
    expect(restored.out).toContain('1 message, 1 conversation')
    const again = proctorpass(['admin', 'list'], { DATA_DIR: 'restored' })
    expect(again.out.trim().split('\n').sort()).toEqual([`${ADMIN.userName}  active`, 'zoe  active'])
  })

  it('runs the commands of the documents', async () => {
    for (const file of ['SHA256SUMS', `${NAME}.tar.gz`])
      cpSync(join(dir.path, 'first', file), join(site, file))
    // The folder of the documents' backups.
    const inFolder = (command: string) =>
      command
        .replaceAll(/OLD|NEW/g, NAME)
        .replace(' FILE', ' b.backup')
        .replace('/backups', site)
    for (const command of IN_A_RELEASE) await operator.run(asRun(inFolder(command)))
    for (const command of IN_ITS_FOLDER)
      await operator.run(`DATA_DIR=$PWD/data; export DATA_DIR; cd ${NAME}; ${inFolder(command)}`)
    for (const command of STARTS_OF_A_RELEASE) {
      const folder = command.startsWith('./') ? `cd ${NAME}; exec ` : 'exec '
      const server = await operator.start(folder + inFolder(command))
      expect(await (await fetch(`${server.url}/healthz`)).json()).toMatchObject({ version: VERSION })
      await server.stop()
    }
  })

  it('has the programs that the server starts', async () => {
    const programs = join(release, 'api/dist/programs')
    const raw = Buffer.from('From: a@example.com\r\nSubject: Hi\r\n\r\nA mail.\r\n')
    const worker = new Worker(join(programs, 'parse-worker.js'), { workerData: { part: 'mail', raw } })
    expect((await once(worker, 'message'))[0]).toMatchObject({ text: 'A mail.' })
    const svg = Buffer.from('<svg viewBox="0 0 2 1"><style>a{}g{fill:red}</style><g/></svg>')
    const cleaner = new Worker(join(programs, 'svg-worker.js'), { workerData: svg })
    expect((await once(cleaner, 'message'))[0]).toMatchObject({
      text: expect.stringContaining('<g fill="red"/>'),
    })
    const post = { html: '<p onclick="x">A post.</p>', ownOrigin: 'https://own.example' }
    const posts = new Worker(join(programs, 'post-worker.js'), { workerData: post })
    const cleaned = { html: '<p>A post.</p>', isEmpty: false, words: 2 }
    expect((await once(posts, 'message'))[0]).toEqual(cleaned)
    const check = [join(programs, 'quick-check.js'), join(site, 'data/chat.sqlite')]
    expect(execFileSync(process.execPath, check, { encoding: 'utf8' })).toBe('ok')
    const picture = "await (await import('sharp')).default('api/test/pictures/1x1.png').metadata()"
    // Also what no test here uses, such as the driver of MongoDB.
    const imports = server.ssr.external.map((name) => `await import('${name}')`)
    const code = [...imports, picture.replace('api/test', join(ROOT, 'api/test'))].join('\n')
    execFileSync(process.execPath, ['--input-type=module', '--eval', code], { cwd: release })
  })

  it('names the problem with a command or the machine', () => {
    expect(proctorpass(['nothing'])).toMatchObject({
      status: 2,
      err: expect.stringMatching(/^Usage: .\/proctorpass /),
    })
    expect(proctorpass(['backup'])).toMatchObject({
      status: 2,
      err: expect.stringMatching(/^Usage: .\/proctorpass backup FILE\n/),
    })
    expect(proctorpass(['--version'], { PATH: TOOLS })).toMatchObject({
      status: 1,
      err: expect.stringMatching(/^Node 24[.0-9]+ is needed: /m),
    })
    const oldNode = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"20.1.0"})'
    expect(
      spawnSync(process.execPath, ['--import', oldNode, join(release, 'server.js')], { encoding: 'utf8' }),
    ).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/^Node 24[.0-9]+ is needed; this is 20.1.0. /),
    })
  })
})
