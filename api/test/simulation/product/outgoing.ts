import type { ServerResponse } from 'node:http'
import type { Answer, Post } from '../../../src/outbound/post.ts'
import { isSigned, type ReceivedEvent } from '../../webhook-receiver.ts'
import type { Network } from './network.ts'
import { currentActor } from './world.ts'

/** A program on another server: it answers a request with a status. */
type Program = (request: ReceivedEvent) => number

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
  programs.set(host, (event) => {
    if (!secrets.some((secret) => isSigned(secret, event.text, event.headers))) {
      refused += 1
      return 401
    }
    let status = 0
    const response = {
      writeHead(code: number) {
        status = code
        return { end() {} }
      },
    }
    answer(event, response as unknown as ServerResponse)
    return status
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
        const text = body.toString()
        const id = String(headers['webhook-id'] ?? '')
        const status = program({
          id,
          body: JSON.parse(text),
          headers: headers as Record<string, string>,
          text,
        })
        if (isLost) return
        world.after(network.delay(), actor, `reads ${status} of a post`, () => {
          clearTimeout(timeout)
          resolve({ status, pauseMs: null, text: '' })
        })
      })
    })
}
