import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { DEFAULT_SETTINGS, type Settings } from '@proctorpass/shared/schemas/settings'
import { API_PREFIX, newId, signInAsAdmin } from '../test/chat-client.ts'
import { startPushService } from '../test/push-service.ts'
import { startSmtpServer } from '../test/smtp-server.ts'
import { quantile, type Result } from './benchmark.ts'
import { BENIGN, type Call, callAs, figure, messageOf, post, type Run, withServer } from './stranger-calls.ts'

const STRANGER = '127.0.0.10'
const OTHER_STRANGER = '127.0.0.11'
const THIRD_PARTY = 'third.party@example.org'
const CONVERSATIONS = 120
const MAILED_CONVERSATIONS = 30
const EVERY_MS = 12_000
/** Longer than a reply waits for its mail. */
const FOR_MS = 200_000

const put = (path: string, body: object): Call => ({ ...post(path, body), method: 'PUT' })
const asAdmin = (token: string, call: Call): Call => ({
  ...call,
  headers: { authorization: `Bearer ${token}` },
})

/** What a stranger makes one device ring, and mails to admins and to a third party. */
export async function notifications({ quick, start, dataDir }: Run): Promise<Result[]> {
  const service = await startPushService()
  const smtp = await startSmtpServer()
  const certificate = join(dataDir, 'push-service.pem')
  writeFileSync(certificate, service.cert)
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'chat@example.com', SUPPORT_EMAIL: 'admins@example.com' }
  const push = { PUSH_HOSTS: service.host, NODE_EXTRA_CA_CERTS: certificate }
  try {
    return await withServer(start({ ...mail, ...push }), async (server) => {
      const benign = callAs(BENIGN)
      const { accessToken: token } = await signInAsAdmin(server.origin)
      const escalation = { afterSeconds: 60, thenMailMinutes: 1 }
      const settings: Settings = { ...DEFAULT_SETTINGS, escalation }
      const { subscription } = service.device('phone')
      const subscribe = post(`${API_PREFIX}/account/push`, { subscription, label: 'phone' })
      for (const call of [put(`${API_PREFIX}/settings`, settings), subscribe]) {
        const { status } = await benign(server, asAdmin(token, call))
        if (status >= 300) throw new Error(`${call.path}: ${status}`)
      }

      const until = performance.now() + (quick ? 30_000 : FOR_MS)
      const ring = async () => {
        const call = callAs(STRANGER, 8)
        const ids = Array.from({ length: CONVERSATIONS }, newId)
        while (performance.now() < until) {
          const from = performance.now()
          await Promise.all(ids.map((id) => call(server, messageOf(id, 'word'))))
          await wait(Math.max(0, from + EVERY_MS - performance.now()))
        }
      }
      const nameThirdParty = async () => {
        const call = callAs(OTHER_STRANGER)
        for (let n = 0; n < MAILED_CONVERSATIONS; n++) {
          const id = newId()
          await call(server, messageOf(id, 'Is my webcam good enough?'))
          const profile = post(`${API_PREFIX}/chat/${id}/profile`, { email: THIRD_PARTY })
          await call(server, { ...profile, method: 'PATCH' })
          await benign(server, asAdmin(token, messageOf(id, 'Yes, it is.')))
        }
      }
      const times: number[] = []
      const write = async () => {
        const person = newId()
        while (performance.now() < until) {
          const from = performance.now()
          await benign(server, messageOf(person, 'hello'))
          times.push(performance.now() - from)
          await wait(1_000)
        }
      }
      await Promise.all([ring(), nameThirdParty(), write()])

      const toThirdParty = smtp.mails.filter(({ to }) => to.includes(THIRD_PARTY)).length
      const toAdmins = smtp.mails.length - toThirdParty
      const summaries = service.received.filter(({ payload }) => payload.tag === 'waiting').length
      const words = `${CONVERSATIONS} conversations of one address, a word in each every 12 s`
      return [
        figure('notifications: pushes to one device', `${service.received.length}`, words),
        figure('notifications: of these, how many visitors wait', `${summaries}`),
        figure('notifications: mails to admins', `${toAdmins}`, 'a mail a minute after the message'),
        figure(
          'notifications: mails to a third party',
          `${toThirdParty}`,
          `${MAILED_CONVERSATIONS} conversations name the address, and are answered`,
        ),
        figure(
          'notifications: p99 of a message of another visitor meanwhile',
          `${quantile(times, 0.99).toFixed(0)} ms`,
          `p50 ${quantile(times, 0.5).toFixed(0)} ms, ${times.length} messages`,
        ),
      ]
    })
  } finally {
    await Promise.all([service.close(), smtp.close()])
  }
}
