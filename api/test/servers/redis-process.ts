import { once } from 'node:events'
import { connect } from 'node:net'
import { findFreePort, temporaryDir } from '../server-process.ts'
import { ChildServer, firstLineOf } from './child-server.ts'

export interface RedisProcess {
  readonly url: string
  readonly port: number
  /** Nothing is persisted. `signal` is SIGTERM by default. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>
  /** On the same port, empty. */
  start(): Promise<void>
  /** It holds its connections and answers nothing, until `thaw`. */
  freeze(): void
  thaw(): void
  /** Its last output if it ended by itself, else null. */
  readonly crash: string | null
  /** Ends it and removes its folder. */
  close(): Promise<void>
}

/** Whether `redis-server` is on the PATH. */
export async function hasRedis(): Promise<boolean> {
  return (await firstLineOf('redis-server', '--version')) !== null
}

/** Starts a Redis that writes nothing to disk. */
export async function startRedis(options: { port?: number } = {}): Promise<RedisProcess> {
  const port = options.port ?? (await findFreePort())
  const dir = temporaryDir('redis')
  let server: ChildServer

  async function start() {
    const listen = ['--port', String(port), '--bind', '127.0.0.1', '--dir', dir.path]
    server = new ChildServer('redis-server', [...listen, '--save', '', '--appendonly', 'no'])
    await server.untilReady(() => answersPing('127.0.0.1', port))
  }
  await start()
  return {
    url: `redis://127.0.0.1:${port}`,
    port,
    stop: (signal = 'SIGTERM') => server.stop(signal),
    start,
    freeze: () => server.freeze(),
    thaw: () => server.thaw(),
    get crash() {
      return server.crash
    },
    async close() {
      await server.stop('SIGKILL')
      dir.remove()
    },
  }
}

async function answersPing(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port })
  try {
    socket.setTimeout(1_000, () => socket.destroy(new Error('no answer')))
    socket.write('PING\r\n')
    const [answer] = await once(socket, 'data')
    return String(answer).startsWith('+PONG')
  } finally {
    socket.destroy()
  }
}
