import { randomInt } from 'node:crypto'
import { CLIENT_ID_LENGTH } from '@proctorpass/shared/limits'
import { paths, SOCKET_PATH } from '@proctorpass/shared/paths'
import type { SignedIn } from '@proctorpass/shared/schemas/auth'
import WebSocket from 'ws'
import { ADMIN } from './server-process.ts'

/** REST base of the servers that tests start. */
export const API_PREFIX = '/api'

const LETTERS_AND_DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** A client id, or a nonce: both may be 20 letters and digits. `random` answers 0 up to 1. */
export function newId(random: () => number = () => randomInt(2 ** 32) / 2 ** 32): string {
  let id = ''
  for (let i = 0; i < CLIENT_ID_LENGTH; i++) {
    id += LETTERS_AND_DIGITS[Math.floor(random() * LETTERS_AND_DIGITS.length)]
  }
  return id
}

export async function signInAsAdmin(origin: string): Promise<SignedIn> {
  const answer = await fetch(origin + API_PREFIX + paths.auth, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(ADMIN),
  })
  if (answer.status !== 200) throw new Error(`signing in: ${answer.status} ${await answer.text()}`)
  return (await answer.json()) as SignedIn
}

/**
 * One Socket.IO connection spoken by hand (Engine.IO 4 frames on a bare WebSocket): thousands fit into one
 * process, and it costs so little that the server stays what is measured. Neither reconnects nor retries.
 */
export class LeanSocket {
  /** Messages pushed to this socket since it was opened. */
  heard = 0
  /** Called with each of them. */
  onHeard: (() => void) | undefined
  /** Called with the name of each other event. */
  onEvent: ((name: string) => void) | undefined
  /** Of its conversation, from the first acknowledgement on; a browser names it with every message. */
  epoch: string | undefined
  readonly #ws: WebSocket
  readonly #namespace: string
  readonly #waiting = new Map<number, (ok: boolean) => void>()
  #lastAck = 0

  private constructor(ws: WebSocket, namespace: string) {
    this.#ws = ws
    this.#namespace = namespace
  }

  /** Resolves once the namespace has let it in. */
  static connect(
    origin: string,
    namespace: string,
    auth: object,
    options: { localAddress?: string } = {},
  ): Promise<LeanSocket> {
    return new Promise((resolve, reject) => {
      const url = `${origin.replace('http', 'ws')}${SOCKET_PATH}/?EIO=4&transport=websocket`
      const ws = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true, ...options })
      const socket = new LeanSocket(ws, namespace)
      ws.on('message', (data) => {
        const frame = String(data)
        if (frame.startsWith('0')) ws.send(`40${namespace},${JSON.stringify(auth)}`)
        else if (frame.startsWith('40')) resolve(socket)
        else if (frame.startsWith('44')) reject(new Error(`refused by ${namespace}: ${frame}`))
        else socket.#receive(frame)
      })
      ws.on('error', reject)
      ws.on('close', () => reject(new Error(`closed before ${namespace} let it in`)))
    })
  }

  /** Sends a command; `onAck` learns whether the server said ok. */
  send(command: string, input: object, onAck: (ok: boolean) => void): void {
    this.#lastAck += 1
    this.#waiting.set(this.#lastAck, onAck)
    this.#ws.send(`42${this.#namespace},${this.#lastAck}${JSON.stringify([command, input])}`)
  }

  close(): void {
    this.#ws.terminate()
  }

  #receive(frame: string): void {
    if (frame === '2') {
      this.#ws.send('3')
    } else if (frame.startsWith('43')) {
      const idStart = 3 + this.#namespace.length
      const bodyStart = frame.indexOf('[', idStart)
      const id = Number(frame.slice(idStart, bodyStart))
      const onAck = this.#waiting.get(id)
      this.#waiting.delete(id)
      this.epoch ??= /"epoch":"([^"]+)"/.exec(frame)?.[1]
      onAck?.(frame.startsWith('[{"ok":true', bodyStart))
    } else if (frame.startsWith('["message:created"', 3 + this.#namespace.length)) {
      this.heard += 1
      this.onHeard?.()
    } else {
      const name = /^\["([^"]+)"/.exec(frame.slice(3 + this.#namespace.length))?.[1]
      if (name !== undefined) this.onEvent?.(name)
    }
  }
}
