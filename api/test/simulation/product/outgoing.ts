import type { ServerResponse } from 'node:http'
import type { Answer, Post } from '../../../src/outbound/post.ts'
import { PushDevices } from '../../push-service.ts'
import { isSigned, type ReceivedEvent } from '../../webhook-receiver.ts'
import type { Deliveries } from './deliveries.ts'
import type { Network } from './network.ts'
import { currentActor } from './world.ts'

interface Received {
  path: string
  headers: Record<string, string>
  body: Buffer
}

/** A program on another server: it answers a request with a status. `told` is called when the sender has read it. */
type Program = (request: Received) => { status: number; told?: () => void }

let way: Network | null = null
const programs = new Map<string, Program>()

/** The network between the servers and the programs to which they post. */
export function openInternet(network: Network): void {
  way = network
  programs.clear()
}

/** As `webhookReceiver` is: a program that receives events, and refuses what none of its secrets signed. */
export function simulatedReceiver(host: string) {
  const secrets: string[] = []
  let refused = 0
  let answer = (_event: ReceivedEvent, response: ServerResponse): void => {
    response.writeHead(204).end()
  }
  programs.set(host, ({ headers, body }) => {
    const text = body.toString()
    const event = { id: headers['webhook-id'] ?? '', body: JSON.parse(text), headers, text }
    if (!secrets.some((secret) => isSigned(secret, event.text, event.headers))) {
      refused += 1
      return { status: 401 }
    }
    let status = 0
    const response = {
      writeHead(code: number) {
        status = code
        return { end() {} }
      },
    }
    answer(event, response as unknown as ServerResponse)
    return { status }
  })
  return {
    ...{ host, url: `https://${host}/hook?x=1`, secrets },
    refused: () => refused,
    answer(how: typeof answer) {
      answer = how
    },
    async close() {},
  }
}

/** A push service: it decrypts what it gets, and is busy at times. */
export function simulatedPushService(host: string, deliveries: Deliveries, isBusy: () => boolean) {
  const devices = new PushDevices(host)
  programs.set(host, ({ path, headers, body }) => {
    const { device, payload } = devices.read(path, headers.Authorization ?? '', body)
    if (isBusy()) return { status: 503 }
    return { status: 201, told: deliveries.accept(`push ${device} ${payload.id}`) }
  })
  return devices
}

const TIMEOUT_MS = 10_000

/** Replaces the requests of `outbound/post.ts`: they are lost, answered late, or not answered. */
export function createPost({ answerWithinMs = TIMEOUT_MS }: { answerWithinMs?: number }): Post {
  return (url, { headers, body, signal }) =>
    new Promise<Answer>((resolve, reject) => {
      const actor = currentActor()
      if (way === null || actor === undefined) throw new Error('Posts are for actors.')
      const network = way
      const { world } = network
      const program = programs.get(new URL(url).host)
      const timeout = setTimeout(() => reject(new DOMException('No answer.', 'TimeoutError')), answerWithinMs)
      signal?.addEventListener('abort', () => reject(signal.reason))
      if (signal?.aborted) return reject(signal.reason)
      if (program === undefined || network.fails('lostRequest')) return
      const isLost = network.fails('lostAnswer')
      world.after(network.delay(), actor, 'has its post received', () => {
        const { pathname: path } = new URL(url)
        const { status, told } = program({ path, headers: headers as Record<string, string>, body })
        if (isLost) return
        world.after(network.delay(), actor, `reads ${status} of a post`, () => {
          clearTimeout(timeout)
          told?.()
          resolve({ status, pauseMs: null, text: '' })
        })
      })
    })
}
