import { SOCKET_PATH } from '@proctorpass/shared/paths'
import WebSocket from 'ws'

/** Gets whether the server answered ok, and the JSON of the answer in brackets. */
type OnAck = (ok: boolean, answer: string) => void

/**
 * The least client of a Socket.IO namespace: Engine.IO 4 frames on a bare WebSocket, without reconnects and retries.
 * Benchmarks use it instead of the chat engine where thousands of sockets must fit into one process, or where the
 * product is compared with the bare hub: that has nothing to sync with, and a load generator that costs more than
 * the servers would hide their difference.
 */
export class RawSocket {
  /** Messages pushed to this socket since it was opened. */
  received = 0
  /** Called with each pushed message's frame. */
  onMessage: ((frame: string) => void) | undefined
  /** Called with the name of each other event. */
  onEvent: ((name: string) => void) | undefined
  onClose: (() => void) | undefined
  /** Of its conversation, from the first acknowledgement on; a browser names it with every message. */
  epoch: string | undefined
  readonly #ws: WebSocket
  readonly #namespace: string
  readonly #unacknowledged = new Map<number, OnAck>()
  #lastAck = 0

  private constructor(ws: WebSocket, namespace: string) {
    this.#ws = ws
    this.#namespace = namespace
  }

  /** Resolves when the namespace has accepted it. Rejects if that takes longer than `timeoutMs`, if given. */
  static connect(
    origin: string,
    namespace: string,
    auth: object,
    { timeoutMs, ...options }: { localAddress?: string; timeoutMs?: number } = {},
  ): Promise<RawSocket> {
    return new Promise((resolve, reject) => {
      const url = `${origin.replace('http', 'ws')}${SOCKET_PATH}/?EIO=4&transport=websocket`
      const ws = new WebSocket(url, { perMessageDeflate: false, skipUTF8Validation: true, ...options })
      const socket = new RawSocket(ws, namespace)
      const timeout = timeoutMs === undefined ? undefined : setTimeout(() => ws.terminate(), timeoutMs)
      ws.on('message', (data) => {
        const frame = String(data)
        if (frame.startsWith('0')) ws.send(`40${namespace},${JSON.stringify(auth)}`)
        else if (frame.startsWith('40')) {
          clearTimeout(timeout)
          resolve(socket)
        } else if (frame.startsWith('44')) reject(new Error(`refused by ${namespace}: ${frame}`))
        else socket.#receive(frame)
      })
      ws.on('error', reject)
      ws.on('close', () => {
        clearTimeout(timeout)
        reject(new Error(`closed before ${namespace} accepted it`))
        socket.onClose?.()
      })
    })
  }

  send(command: string, input: object, onAck: OnAck): void {
    this.#lastAck += 1
    this.#unacknowledged.set(this.#lastAck, onAck)
    this.#ws.send(`42${this.#namespace},${this.#lastAck}${JSON.stringify([command, input])}`)
  }

  close(): void {
    this.#ws.terminate()
  }

  #receive(frame: string): void {
    if (frame === '2') {
      this.#ws.send('3')
      return
    }
    const idStart = 3 + this.#namespace.length
    if (frame.startsWith('43')) {
      const bodyStart = frame.indexOf('[', idStart)
      const id = Number(frame.slice(idStart, bodyStart))
      const onAck = this.#unacknowledged.get(id)
      this.#unacknowledged.delete(id)
      this.epoch ??= /"epoch":"([^"]+)"/.exec(frame)?.[1]
      onAck?.(frame.startsWith('[{"ok":true', bodyStart), frame.slice(bodyStart))
    } else if (frame.startsWith('["message:created"', idStart)) {
      this.received += 1
      this.onMessage?.(frame)
    } else {
      const name = /^\["([^"]+)"/.exec(frame.slice(idStart))?.[1]
      if (name !== undefined) this.onEvent?.(name)
    }
  }
}
