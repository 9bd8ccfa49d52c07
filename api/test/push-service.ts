import {
  createDecipheriv,
  createECDH,
  createHash,
  createPublicKey,
  hkdfSync,
  randomBytes,
  verify,
} from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { PushPayload } from '@proctorpass/shared/schemas/push'
import { selfSignedCertificate } from './self-signed-certificate.ts'

export interface ReceivedPush {
  device: string
  payload: PushPayload
  headers: IncomingHttpHeaders
  /** Of the VAPID token. */
  claims: { aud: string; exp: number; sub: string }
  /** The public key that it is signed with. */
  key: string
}

/** A browser that is subscribed at the service. */
export interface TestDevice {
  name: string
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } }
}

type Behavior = (request: IncomingMessage, response: ServerResponse, device: string) => void

/**
 * A push service on the real protocol (RFC 8030): it verifies the VAPID token (RFC 8292) and decrypts the message as the
 * browser would (RFC 8291). A push counts as received once it is verified, with any answer.
 */
export interface PushService {
  /** `localhost:port`, as PUSH_HOSTS has it. */
  host: string
  cert: string
  received: ReceivedPush[]
  /** Problems of requests. */
  problems: string[]
  /** Connections that were ever opened. */
  connections(): number
  device(name: string): TestDevice
  /** Bodies that devices have received, in order. */
  bodiesOf(name: string): string[]
  /** Whether it says nothing at all, from the first byte on. Cuts the open connections. */
  hold(held: boolean): void
  /** Default: 201. Null: back to the default. */
  behave(behavior: Behavior | null): void
  close(): Promise<void>
}

export async function startPushService(certificate = selfSignedCertificate()): Promise<PushService> {
  const received: ReceivedPush[] = []
  const problems: string[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  let behavior: Behavior | null = null

  const server = createServer(certificate, async (request, response) => {
    const { method, url = '', headers } = request
    let device: string
    try {
      if (method !== 'POST') throw new Error('There is no such device.')
      const push = devices.read(url, headers.authorization ?? '', await buffer(request))
      device = push.device
      received.push({ ...push, headers })
    } catch (error) {
      problems.push(String(error))
      response.writeHead(400).end(String(error))
      return
    }
    if (behavior === null) response.writeHead(201).end()
    else behavior(request, response, device)
  })
  let isHeld = false
  const front = createTcpServer((socket) => {
    connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
    socket.once('close', () => sockets.delete(socket))
    if (!isHeld) server.emit('connection', socket)
  })
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
  const host = `localhost:${(front.address() as AddressInfo).port}`
  const devices = new PushDevices(host)

  return {
    host,
    cert: certificate.cert,
    received,
    problems,
    connections: () => connections,
    device: (name) => devices.add(name),
    bodiesOf: (name) => received.filter(({ device }) => device === name).map(({ payload }) => payload.body),
    behave(next) {
      behavior = next
    },
    hold: (held) => {
      isHeld = held
      cut()
    },
    async close() {
      cut()
      await new Promise((resolve) => front.close(resolve))
    },
  }
}

/** The browsers that are subscribed at a service, which reads what it gets for them. */
export class PushDevices {
  readonly #host: string
  readonly #devices = new Map<string, { name: string; ecdh: ReturnType<typeof createECDH>; auth: Buffer }>()

  constructor(host: string) {
    this.#host = host
  }

  add(name: string): TestDevice {
    const ecdh = createECDH('prime256v1')
    const p256dh = ecdh.generateKeys('base64url')
    const auth = randomBytes(16)
    const path = `/push/${randomBytes(16).toString('base64url')}`
    this.#devices.set(path, { name, ecdh, auth })
    const keys = { p256dh, auth: auth.toString('base64url') }
    return { name, subscription: { endpoint: `https://${this.#host}${path}`, keys } }
  }

  /** Throws unless a device can read the push and it is signed for this service. */
  read(path: string, authorization: string, body: Buffer): Omit<ReceivedPush, 'headers'> {
    const device = this.#devices.get(path)
    if (device === undefined) throw new Error('There is no such device.')
    const signed = verified(authorization)
    if (signed.claims.aud !== `https://${this.#host}`) throw new Error('Another audience.')
    const lifetime = signed.claims.exp - Date.now() / 1_000
    if (lifetime < 0 || lifetime > 24 * 60 * 60) throw new Error('Its time is over, or too far away.')
    const payload = JSON.parse(decrypted(body, device.ecdh, device.auth)) as PushPayload
    return { device: device.name, payload, ...signed }
  }
}

function verified(authorization: string): { claims: ReceivedPush['claims']; key: string } {
  const [, token = '', key = ''] = /^vapid t=([^,]+), ?k=(.+)$/.exec(authorization) ?? []
  const [header = '', claims = '', signature = ''] = token.split('.')
  if (fromBase64(header).alg !== 'ES256') throw new Error('Another algorithm.')
  const point = Buffer.from(key, 'base64url')
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
  if (!isSigned) throw new Error('A wrong signature.')
  return { claims: fromBase64(claims) as ReceivedPush['claims'], key }
}

function fromBase64(text: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(text, 'base64url').toString())
}

function decrypted(body: Buffer, ecdh: ReturnType<typeof createECDH>, auth: Buffer): string {
  const salt = body.subarray(0, 16)
  const sender = body.subarray(21, 21 + (body[20] ?? 0))
  const sealed = body.subarray(21 + sender.length)
  const secret = ecdh.computeSecret(sender)
  const keyInfo = Buffer.concat([Buffer.from('WebPush: info\0'), ecdh.getPublicKey(), sender])
  const input = Buffer.from(hkdfSync('sha256', secret, auth, keyInfo, 32))
  const derive = (info: string, bytes: number) => Buffer.from(hkdfSync('sha256', input, salt, info, bytes))
  const key = derive('Content-Encoding: aes128gcm\0', 16)
  const decipher = createDecipheriv('aes-128-gcm', key, derive('Content-Encoding: nonce\0', 12))
  decipher.setAuthTag(sealed.subarray(-16))
  const padded = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()])
  const end = padded.findLastIndex((byte) => byte !== 0)
  if (padded[end] !== 2) throw new Error('It is not the last record.')
  return padded.subarray(0, end).toString()
}

/** The id of a device, as the store has it. */
export function idOfDevice({ subscription }: TestDevice): string {
  return createHash('sha256').update(subscription.endpoint).digest('base64url')
}
