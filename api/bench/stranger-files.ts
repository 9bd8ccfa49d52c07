import { writeFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { paths } from '@proctorpass/shared/paths'
import { DEFAULT_SETTINGS, type Settings } from '@proctorpass/shared/schemas/settings'
import sharp from 'sharp'
import { API_PREFIX, newId, signInAsAdmin } from '../test/chat-client.ts'
import { startPushService } from '../test/push-service.ts'
import { startSmtpServer } from '../test/smtp-server.ts'
import { type MeasuredServer, quantile, type Result } from './benchmark.ts'
import {
  allowFiles,
  BENIGN,
  type Call,
  callAs,
  compared,
  figure,
  inParallel,
  messageOf,
  post,
  type Run,
  timesOf,
  withServer,
} from './stranger-calls.ts'

const SLOW_SENDERS = 12
const PICTURE_SENDERS = 6
const UNSENT_SENDERS = 4

/** One address sends files, but so slowly that they never end. */
export async function slowUploads({ quick, start }: Run): Promise<Result[]> {
  return withServer(start(), async (server) => {
    await allowFiles(server)
    const ms = quick ? 3_000 : 20_000
    const reference = await uploadTimes(server, ms / 2)
    const sockets = Array.from({ length: SLOW_SENDERS }, () => trickle(server, pdf(1_000_000)))
    await wait(500)
    const attacked = await uploadTimes(server, ms)
    for (const socket of sockets) socket.destroy()
    return [
      compared(
        'slow uploads: p50 of a small file of another visitor',
        'ms',
        quantile(attacked, 0.5),
        quantile(reference, 0.5),
      ),
      compared('slow uploads: p99', 'ms', quantile(attacked, 0.99), quantile(reference, 0.99)),
      figure(
        'slow uploads: files of the other visitor',
        `${attacked.length}`,
        `${reference.length * 2} alone`,
      ),
    ]
  })
}

/**
 * One address sends pictures of 40 megapixels, one after the other over several connections. Tall ones and WebP take the
 * most memory: their decoders hold the whole image.
 */
export async function pictures({ quick, start }: Run): Promise<Result[]> {
  const kinds = [
    await photo(7_300, 5_470, 'jpeg'),
    await photo(2_440, 16_383, 'jpeg'),
    await photo(2_440, 16_383, 'webp'),
  ]
  let sent = 0
  return withServer(start(), async (server) => {
    await allowFiles(server)
    const ms = quick ? 4_000 : 20_000
    const reference = await uploadTimes(server, ms / 2)
    const before = await server.usage({ afterGc: true })
    const statuses = new Map<number, number>()
    let peak = before.resident
    const until = performance.now() + ms
    const memory = (async () => {
      while (performance.now() < until) {
        peak = Math.max(peak, (await server.usage()).resident)
        await wait(100)
      }
    })()
    const others = uploadTimes(server, ms)
    await inParallel(PICTURE_SENDERS, '127.0.0.10', async (call) => {
      while (performance.now() < until) {
        const { status } = await call(server, upload(newId(), kinds[sent++ % kinds.length] as Buffer))
        statuses.set(status, (statuses.get(status) ?? 0) + 1)
        if (status !== 201) await wait(100)
      }
    })
    const attacked = await others
    await memory
    const { cpu } = await server.usage()
    const answers = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
    return [
      compared(
        'pictures: p50 of a small file of another visitor',
        'ms',
        quantile(attacked, 0.5),
        quantile(reference, 0.5),
      ),
      compared('pictures: p99', 'ms', quantile(attacked, 0.99), quantile(reference, 0.99)),
      compared('pictures: memory of the server at its highest', 'MB', peak / 1e6, before.resident / 1e6),
      figure('pictures: share of a core', `${Math.round((cpu - before.cpu) / ms / 10)} %`),
      figure('pictures: answers', answers),
    ]
  })
}

/** One address uploads files and never sends them, to a store of 100 MB. */
export async function unsentFiles({ quick, start }: Run): Promise<Result[]> {
  return withServer(start({ UPLOADS_MAX: '100MB' }), async (server) => {
    const headers = await allowFiles(server)
    const until = performance.now() + (quick ? 5_000 : 25_000)
    const bytes = pdf(10_000_000)
    let stored = 0
    await inParallel(UNSENT_SENDERS, '127.0.0.11', async (call) => {
      while (performance.now() < until) {
        const { status } = await call(server, upload(newId(), bytes))
        if (status === 201) stored += bytes.length
        else await wait(100)
      }
    })
    const file = pdf(8_000_000)
    const visitor = await callAs(BENIGN)(server, upload(newId(), file))
    const asAdmin = upload(newId(), file, paths.adminConversationFiles, headers)
    const admin = await callAs(BENIGN)(server, asAdmin)
    return [
      figure('unsent files: stored by one address', `${Math.round(stored / 1e6)} MB`, 'of 100 MB'),
      figure(
        'unsent files: answers to another visitor, and to an admin',
        `${visitor.status}, ${admin.status}`,
      ),
    ]
  })
}

/** Measures how many milliseconds another address needs for a file of 10 KB, twice a second. */
function uploadTimes(server: MeasuredServer, ms: number): Promise<number[]> {
  const call = callAs(BENIGN)
  const bytes = pdf(10_000)
  return timesOf(ms, 500, async () => {
    const { status } = await call(server, upload(newId(), bytes))
    if (status !== 201) throw new Error(`a file of the other visitor: ${status}`)
  })
}

/** Opens a connection that sends a form's head, and then 4 KB a second. */
function trickle(server: MeasuredServer, file: Buffer): Socket {
  const { path, type, body } = upload(newId(), file)
  const socket = connect({ host: '127.0.0.1', port: server.port, localAddress: '127.0.0.9' })
  const head = [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', `Content-Type: ${type}`]
  socket.write(`${head.join('\r\n')}\r\nContent-Length: ${body?.length}\r\n\r\n`)
  let at = 0
  const timer = setInterval(() => {
    socket.write((body as Buffer).subarray(at, at + 4_096))
    at += 4_096
  }, 1_000)
  socket.on('error', () => {})
  socket.on('close', () => clearInterval(timer))
  return socket
}

const BOUNDARY = 'boundary-of-a-form'

function upload(
  clientId: string,
  bytes: Buffer,
  path: (clientId: string) => string = paths.conversationFiles,
  headers: Call['headers'] = {},
): Call {
  const part = (disposition: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
  const body = Buffer.concat([
    Buffer.from(`${part('name="nonce"')}the-nonce-of-the-file\r\n`),
    Buffer.from(part('name="file"; filename="a"')),
    bytes,
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
  const type = `multipart/form-data; boundary=${BOUNDARY}`
  return { path: `${API_PREFIX}${path(clientId)}`, method: 'POST', headers, type, body }
}

const pdf = (size: number) =>
  Buffer.concat([Buffer.from('%PDF-1.7\n1 0 obj\n'), Buffer.alloc(size, 'x'), Buffer.from('\n%%EOF')])

/** Makes an image with as much detail as a photo. */
async function photo(width: number, height: number, kind: 'jpeg' | 'webp'): Promise<Buffer> {
  const noise = { type: 'gaussian', mean: 128, sigma: 40 } as const
  const small = {
    width: Math.ceil(width / 10),
    height: Math.ceil(height / 10),
    channels: 3,
    background: '#888',
    noise,
  } as const
  const pixels = await sharp({ create: small }).png().toBuffer()
  return sharp(pixels).resize(width, height, { fit: 'fill' }).toFormat(kind, { quality: 60 }).toBuffer()
}

const STRANGER = '127.0.0.10'
const OTHER_STRANGER = '127.0.0.11'
const THIRD_PARTY = 'third.party@example.org'
const CONVERSATIONS = 120
const MAILED_CONVERSATIONS = 30
const EVERY_MS = 12_000
/** This is longer than a reply waits for its mail. */
const FOR_MS = 200_000

const put = (path: string, body: object): Call => ({ ...post(path, body), method: 'PUT' })
const asAdmin = (token: string, call: Call): Call => ({
  ...call,
  headers: { authorization: `Bearer ${token}` },
})

/** Counts a stranger's notifications on one device, and the mails to admins and to a third party. */
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
