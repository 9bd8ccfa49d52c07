import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-app.ts'
import { CHILD_ENV } from '../../test/server-process.ts'
import { firstPasswordIn, startMessage } from './first-password.ts'

vi.setConfig({ testTimeout: 120_000 })

let dataDir: string
let stop: (() => Promise<unknown>)[]
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'first-password-'))
  stop = []
})
afterEach(async () => {
  for (const each of stop) await each()
  rmSync(dataDir, { recursive: true, force: true })
})

/** A server whose standard output is a pipe, as under systemd and Docker. */
async function start() {
  const server = join(import.meta.dirname, '../server.ts')
  const env = { ...CHILD_ENV, PORT: '0', SERVE_WEB: 'false', SEED_DEMO: 'false', DATA_DIR: dataDir }
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', server], { env })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  }
  const ended = once(child, 'close')
  const end = async (signal: NodeJS.Signals = 'SIGTERM') => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await ended
  }
  stop.push(() => end('SIGKILL'))
  const url = await vi.waitFor(
    () => {
      const found = /is running at (http:\S+)/.exec(output)?.[1]
      if (found === undefined) throw new Error(output)
      return found
    },
    { timeout: 60_000 },
  )
  return { url, end, output: () => output }
}

const signIn = (url: string, password: string) =>
  fetch(`${url}/api/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ userName: 'admin', password }),
  })
const fileIn = (output: string) => /^The first password is in (.+)$/m.exec(output)?.[1] ?? ''

describe('the first password of a server without a terminal', () => {
  it('is in a file that its log names, until the first sign-in', async () => {
    const first = await start()
    const file = fileIn(first.output())
    expect(file).toBe(join(dataDir, 'first-password'))
    expect(first.output()).toContain(`  Sign in at ${first.url}/login as admin\n`)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const password = readFileSync(file, 'utf8').trim()
    expect(password).toMatch(/^([2-9a-z]{6}-){3}[2-9a-z]{6}$/)
    expect((await signIn(first.url, 'a wrong one')).status).toBe(401)
    await first.end()

    // A restart keeps the file and the password.
    const second = await start()
    expect(fileIn(second.output())).toBe(file)
    expect((await signIn(second.url, password)).status).toBe(200)
    expect(existsSync(file)).toBe(false)
    await second.end()

    const third = await start()
    expect(third.output()).not.toContain('password')
    expect((await signIn(third.url, password)).status).toBe(200)
    for (const output of [first, second, third].map((each) => each.output())) {
      expect(output).not.toContain(password)
    }
    await third.end()
  })
})

describe('the file', () => {
  const file = () => firstPasswordIn(dataDir)

  it('follows no link, and does not write into an existing file', async () => {
    const linked = join(dataDir, 'linked')
    writeFileSync(linked, 'mine')
    symlinkSync(linked, file().path)
    await file().save('one')
    expect([readFileSync(linked, 'utf8'), readFileSync(file().path, 'utf8')]).toEqual(['mine', 'one\n'])
    writeFileSync(file().path, 'old', { mode: 0o644 })
    await file().save('two')
    expect([statSync(file().path).mode & 0o777, readFileSync(file().path, 'utf8')]).toEqual([0o600, 'two\n'])
  })

  describe('is removed', () => {
    let test: TestApp
    beforeEach(async () => {
      test = await buildTestApp()
      await file().save('one')
    })
    afterEach(() => test.close())
    const remove = () => file().removeIfUsed(test.storage, 'ADMIN')

    it('once its admin has signed in on another server', async () => {
      await remove()
      expect(file().exists()).toBe(true)
      await test.signIn()
      await remove()
      expect(file().exists()).toBe(false)
    })

    it('once its admin has another password', async () => {
      const admin = await test.storage.users.findByName('admin')
      await test.storage.users.changeCredentials(admin?._id ?? '', { passwordHash: 'another' })
      await remove()
      expect(file().exists()).toBe(false)
    })

    it('when there is no such admin', async () => {
      await file().removeIfUsed(test.storage, 'other')
      expect(file().exists()).toBe(false)
    })
  })

  it('is written before the admin, so that no password is lost when the write fails', async () => {
    const test = await buildTestApp({ dataDir: join(dataDir, 'app') })
    const { users } = test.storage
    users.any = async () => false
    const saved: string[] = []
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' })
    const { createFirst } = users
    let created = 0
    users.createFirst = async (user) => {
      created += 1
      return createFirst(user)
    }
    const refusing = { save: () => Promise.reject(full), remove: async () => {} }
    await expect(test.app.useCases.auth.createFirstAdmin('x', undefined, refusing)).rejects.toBe(full)
    expect(created).toBe(0)
    // Another server was first, so its password counts.
    const losing = {
      save: async (password: string) => void saved.push(password),
      remove: async () => void saved.pop(),
    }
    expect(await test.app.useCases.auth.createFirstAdmin('x', undefined, losing)).toEqual({
      generatedPassword: null,
      ignored: false,
    })
    expect([created, saved]).toEqual([1, []])
    await test.close()
  })
})

describe('the message of a start', () => {
  const facts = { brand: 'Shop', url: 'http://a', userName: 'zoe', generated: null, waiting: null }

  it('has the password on a terminal, the file without one, and neither afterwards', () => {
    expect(startMessage({ ...facts, generated: 'secret' })).toContain('as zoe with the password secret')
    const waiting = startMessage({ ...facts, waiting: '/data/first-password' })
    expect(waiting.split('\n')).toContain('The first password is in /data/first-password')
    expect(startMessage(facts)).toBe('Shop is running at http://a')
  })
})
