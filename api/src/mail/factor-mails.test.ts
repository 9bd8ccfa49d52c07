import { expect, it, vi } from 'vitest'
import { buildTestApp } from '../../test/build-app.ts'
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
    const said = ['authenticator app was added', 'recovery codes were made', 'authenticator app was removed']
    for (const words of said) expect(texts.filter((text) => text.includes(words))).toHaveLength(1)
    for (const { to, headers, raw } of smtp.mails) {
      expect(to).toEqual(['maria@example.com'])
      expect(headers.subject).toBe('The sign-in of your account has changed')
      for (const hidden of [secret, code, ...recovery]) expect(raw).not.toContain(hidden)
    }
  } finally {
    await test.close()
    await smtp.close()
  }
})
