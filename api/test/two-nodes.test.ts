import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { Site } from '@proctorpass/shared/schemas/site'
import type { Text } from '@proctorpass/shared/schemas/text'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ADMIN } from './admin.ts'
import { describeOnMongo } from './mongo-server.ts'
import { BUNDLE, type ServerProcess, startServer, temporaryDir } from './server-process.ts'

const ROOT = join(import.meta.dirname, '../..')

/** Two processes with pages, on one MongoDB and without Redis. */
describeOnMongo('what an admin changes on one node', (freshUrl) => {
  const dirs = [temporaryDir('node-a'), temporaryDir('node-b')]
  let a: ServerProcess
  let b: ServerProcess
  let authorization = ''

  beforeAll(async () => {
    // Does nothing when the bundle is up to date.
    execFileSync(process.execPath, [join(ROOT, 'api/tools/prepare.mjs'), '--build'], { cwd: ROOT })
    const env = { MONGODB_URL: freshUrl(), JWT_SECRET: randomBytes(48).toString('base64'), SERVE_WEB: 'true' }
    const start = (dataDir = '') => startServer({ entry: BUNDLE, dataDir, env })
    a = await start(dirs[0]?.path)
    b = await start(dirs[1]?.path)
    const { accessToken } = (await call('POST', '/auth', ADMIN)) as { accessToken: string }
    authorization = `Bearer ${accessToken}`
  }, 240_000)

  afterAll(async () => {
    for (const node of [a, b]) await node?.stop()
    for (const dir of dirs) dir.remove()
  })

  /** Calls node A. */
  async function call(method: string, path: string, body: object): Promise<unknown> {
    const answer = await fetch(`${a.origin}/api${path}`, {
      method,
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
      body: JSON.stringify(body),
    })
    expect([path, answer.ok]).toEqual([path, true])
    return answer.json()
  }

  const onB = async (path: string) => (await fetch(b.origin + path)).text()

  /** Waits until node B's answer contains the text, and says how long that took after node A's answer. */
  async function seenOnB(what: string, path: string, text: string, change: () => Promise<unknown>) {
    expect(await onB(path)).not.toContain(text)
    await change()
    const from = performance.now()
    await vi.waitFor(async () => expect(await onB(path)).toContain(text), { timeout: 5_000, interval: 20 })
    console.info(`${what}: on the other node after ${Math.round(performance.now() - from)} ms`)
  }

  async function write(key: string, own: object): Promise<void> {
    const { fields, version } = JSON.parse(await onB(`/api/texts/${key}`)) as Text
    await call('PUT', `/texts/${key}`, { fields: { ...fields, ...own }, version })
  }

  it.each([
    ['the FAQ', 'faq', '/faq'],
    ['an article', 'article:how-to-cheat-on-proctoru', '/blog/how-to-cheat-on-proctoru'],
    ['the terms', 'terms', '/terms'],
  ])('%s: the other node shows it', async (what, key, path) => {
    const heading = `Changed on A: ${what}`
    const own = key.startsWith('article') ? { h1: heading } : { heading }
    await seenOnB(what, path, heading, () => write(key, own))
  })

  it('a language file: the other node serves it', async () => {
    const own = { 'view.send': 'Ab die Post' }
    const upload = () => call('PUT', '/languages/de', own)
    await seenOnB('a language file', '/words/de.json', 'Ab die Post', upload)
  })

  it("a website's greeting: the other node shows it", async () => {
    const site = { name: 'Shop', origins: ['https://shop.example'], greeting: { en: 'Before', zh: '' } }
    const { data } = (await call('POST', '/sites', site)) as { data: Site }
    const frame = `/embed/${data._id}`
    await vi.waitFor(async () => expect(await onB(frame)).toContain('Before'), 5_000)
    const greeting = { en: 'After', zh: '' }
    const change = () => call('PATCH', `/sites/${data._id}`, { greeting, version: 1 })
    await seenOnB("a website's greeting", frame, 'After', change)
  })
})
