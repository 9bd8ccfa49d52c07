import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { ADMIN } from '../test/admin.ts'
import { buildTestApp, type TestApp } from '../test/build-app.ts'
import { CHILD_ENV } from '../test/server-process.ts'
import { startSmtpServer } from '../test/smtp-server.ts'

// Most tests start several processes.
vi.setConfig({ testTimeout: 240_000 })

const dataDir = mkdtempSync(join(tmpdir(), 'admin-'))
let test: TestApp
beforeAll(async () => {
  test = await buildTestApp({ dataDir, variables: { RATE_LIMITS: 'off' } })
})
afterAll(async () => {
  await test.close()
  rmSync(dataDir, { recursive: true })
})

type Run = Promise<{ code: number; out: string; err: string }>
const admin = (...args: string[]): Run => adminWith({ DATA_DIR: dataDir }, ...args)

function adminWith(variables: Record<string, string>, ...args: string[]): Run {
  const tool = join(import.meta.dirname, 'admin.ts')
  return new Promise((resolve) => {
    const env = { ...process.env, ...CHILD_ENV, ...variables }
    const child = execFile(process.execPath, [tool, ...args], { env }, (_error, out, err) =>
      resolve({ code: child.exitCode ?? -1, out, err }),
    )
  })
}
const passwordIn = (out: string) => /password (\S+)/.exec(out)?.[1] ?? ''
const signIn = (password: string) =>
  test.call('POST', '/api/auth', { payload: { userName: 'zoe', password } })

it('creates, disables and resets an admin while the server runs', async () => {
  const halfWritten = join(dataDir, 'uploads/picture.part')
  writeFileSync(halfWritten, 'half')
  const created = await admin('create', 'zoe')
  expect(created.code).toBe(0)
  const first = passwordIn(created.out)
  const { accessToken } = (await signIn(first)).json()
  const headers = { authorization: `Bearer ${accessToken}` }
  const works = async () => (await test.call('GET', '/api/contacts', { headers })).statusCode
  expect(await works()).toBe(200)

  expect((await admin('disable', 'ZOE')).code).toBe(0)
  expect([await works(), (await signIn(first)).statusCode]).toEqual([403, 401])

  expect(existsSync(halfWritten)).toBe(true)

  const second = passwordIn((await admin('reset', 'zoe')).out)
  expect([(await signIn(first)).statusCode, (await signIn(second)).statusCode]).toEqual([401, 200])
})

it('resets an account with all its sessions, and a running server mails its owner', async () => {
  const smtp = await startSmtpServer()
  const ownDir = mkdtempSync(join(tmpdir(), 'admin-'))
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'chat@example.com' }
  const node = await buildTestApp({ dataDir: ownDir, variables: mail, lookEveryMs: 20 })
  try {
    const { bearer: headers } = await node.signIn()
    const payload = { email: 'maria@example.com' }
    expect((await node.call('PATCH', '/api/account', { headers, payload })).statusCode).toBe(200)
    const { out } = await adminWith({ ...mail, DATA_DIR: ownDir }, 'reset', ADMIN.userName)
    expect((await node.call('GET', '/api/account', { headers })).statusCode).toBe(403)
    await vi.waitFor(() => expect(smtp.mails).toHaveLength(1), 20_000)
    const [{ to, text, raw } = { to: [], text: '', raw: '' }] = smtp.mails
    expect([to, text.replace(/\s+/g, ' ')]).toEqual([
      ['maria@example.com'],
      expect.stringContaining(`reset the ProctorPass account ${ADMIN.userName}`),
    ])
    expect(raw).not.toContain(passwordIn(out))
  } finally {
    await node.close()
    await smtp.close()
    rmSync(ownDir, { recursive: true })
  }
})

it('lists the admins, and prints its usage', async () => {
  expect((await admin('create', 'ada')).code).toBe(0)
  expect((await admin('disable', 'ada')).code).toBe(0)
  const { code, out } = await admin('list')
  expect([code, out.split('\n')]).toEqual([
    0,
    expect.arrayContaining([`${ADMIN.userName}  active`, 'ada  disabled']),
  ])
  for (const args of [['--help'], ['-h']]) {
    expect(await admin(...args)).toMatchObject({ code: 0, out: expect.stringMatching(/^Usage: /), err: '' })
  }
})

it('gives an invited admin a password, which ends the invitation', async () => {
  const { accessToken } = (await test.postSignIn(ADMIN.userName, ADMIN.password)).json()
  const headers = { authorization: `Bearer ${accessToken}` }
  const invited = await test.call('POST', '/api/team', { headers, payload: { userName: 'bo' } })
  const token = new URL(invited.json().invite).hash.slice(1)
  expect((await admin('create', 'bo')).code).toBe(1)
  const password = passwordIn((await admin('reset', 'bo')).out)
  expect((await test.postSignIn('bo', password)).statusCode).toBe(200)
  const accepted = await test.call('POST', '/api/invite', { payload: { token, password: `${password}-2` } })
  expect(accepted.statusCode).toBe(404)
})

it('removes the file of the first password after a reset, and no file of another admin', async () => {
  const file = join(dataDir, 'first-password')
  writeFileSync(file, 'one')
  await admin('create', 'ann')
  await admin('reset', 'ann')
  expect(existsSync(file)).toBe(true)
  await admin('reset', 'ADMIN')
  expect(existsSync(file)).toBe(false)
})

it('fails with a message for wrong arguments', async () => {
  for (const args of [
    [],
    ['create'],
    ['toString', 'x'],
    ['reset', 'nobody'],
    ['create', 'admin'],
    ['create', ' '],
  ]) {
    const { code, out, err } = await admin(...args)
    expect([code, out]).toEqual([1, ''])
    expect(err).toMatch(/^(Usage: npm run admin|There is (no|already a) user|This username can't be used)/)
  }
})
