import { expect, it, vi } from 'vitest'
import { ADMIN } from '../../test/admin.ts'
import { buildTestApp } from '../../test/build-app.ts'
import { challengeCookies } from '../../test/challenge-cookies.ts'
import { startSmtpServer } from '../../test/smtp-server.ts'
import { totpCode } from '../auth/totp.ts'

const STEP = 30_000

it('tells admins in a mail what changed in how they sign in, and nothing secret', async () => {
  const smtp = await startSmtpServer()
  let now = Math.floor(Date.now() / STEP) * STEP
  const variables = { SMTP_URL: smtp.url, MAIL_FROM: 'chat@example.com' }
  const test = await buildTestApp({ now: () => now, variables, lookEveryMs: 20 })
  try {
    const { bearer: headers } = await test.signIn()
    const call = (method: 'POST' | 'PATCH' | 'DELETE', path: string, payload?: object) =>
      test.call(method, `/api/account${path}`, { headers, ...(payload && { payload }) })
    await call('PATCH', '', { email: 'maria@example.com' })
    const { secret } = (await call('POST', '/totp')).json()
    const code = totpCode(secret, now / STEP)
    const { recovery } = (await call('POST', '/totp/confirm', { code })).json()
    now += 1
    expect((await call('POST', '/recovery')).statusCode).toBe(200)
    now += 1
    expect((await call('DELETE', '/totp')).statusCode).toBe(200)
    await vi.waitFor(() => expect(smtp.mails).toHaveLength(3), 20_000)

    const texts = smtp.mails.map(({ text }) => text.replace(/\s+/g, ' '))
    const said = [
      'authenticator app was added',
      'recovery codes were created',
      'authenticator app was removed',
    ]
    for (const words of said) expect(texts.filter((text) => text.includes(words))).toHaveLength(1)
    for (const { to, headers, raw } of smtp.mails) {
      expect(to).toEqual(['maria@example.com'])
      expect(headers.subject).toBe("Your account's sign-in has changed")
      for (const hidden of [secret, code, ...recovery]) expect(raw).not.toContain(hidden)
    }
  } finally {
    await test.close()
    await smtp.close()
  }
})

it('tells the owner of ten wrong codes once, and judges no more for 30 seconds, but a recovery code', async () => {
  const smtp = await startSmtpServer()
  let now = Math.floor(Date.now() / STEP) * STEP
  const variables = { SMTP_URL: smtp.url, MAIL_FROM: 'chat@example.com' }
  const test = await buildTestApp({ now: () => now, variables, lookEveryMs: 20 })
  try {
    const { bearer: headers } = await test.signIn()
    const call = (path: string, payload = {}, method: 'POST' | 'PATCH' = 'POST') =>
      test.call(method, `/api/account${path}`, { headers, payload })
    await call('', { email: 'maria@example.com' }, 'PATCH')
    const { secret } = (await call('/totp')).json()
    const { recovery } = (await call('/totp/confirm', { code: totpCode(secret, now / STEP) })).json()
    await vi.waitFor(() => expect(smtp.mails).toHaveLength(1))
    now += 10 * STEP

    const begin = () => test.postSignIn(ADMIN.userName, ADMIN.password)
    const finish = async (step: Awaited<ReturnType<typeof begin>>, factor: object) => {
      const payload = { challenge: step.json().challenge, ...factor }
      return test.call('POST', '/api/auth/factor', { payload, cookies: challengeCookies(step) })
    }
    const answer = async (factor: object) => finish(await begin(), factor)
    for (let count = 0; count < 10; count += 1) {
      expect(smtp.mails).toHaveLength(1)
      expect((await answer({ code: totpCode(secret, now / STEP + 40 + count) })).statusCode).toBe(401)
    }
    await vi.waitFor(() => expect(smtp.mails).toHaveLength(2))
    expect(smtp.mails[1]).toMatchObject({
      to: ['maria@example.com'],
      headers: { subject: 'Someone knows your password' },
      text: expect.stringContaining('ten wrong codes'),
    })
    // The next one is judged at once; those after it wait for their 30 seconds, or are refused.
    const steps = [await begin(), await begin(), await begin()] as const
    expect((await finish(steps[0], { code: '000000' })).statusCode).toBe(401)
    const waiting = finish(steps[1], { code: totpCode(secret, now / STEP) })
    const refused = await finish(steps[2], { code: '000000' })
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '30'])
    expect((await answer({ recovery: recovery[0] })).statusCode).toBe(200)
    expect(smtp.mails).toHaveLength(2)
    void waiting.catch(() => {})
  } finally {
    await test.close()
    await smtp.close()
  }
})
