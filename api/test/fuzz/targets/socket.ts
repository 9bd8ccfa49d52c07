import { WebSocket } from 'ws'
import { checkError, checkLog, createAppWorlds } from '../app-world.ts'
import type { Target } from '../loop.ts'

export const isJson = true
export const words = [
  ...[
    '40/visitor,',
    '42/visitor,',
    '42/visitor,1',
    '41/visitor,',
    '43/visitor,1',
    '45/visitor,1-',
    '40/admin,',
    '40',
    '2',
    '3',
  ],
  ...[
    '"message:send"',
    '"conversation:sync"',
    '"conversation:read"',
    '"typing:set"',
    '"viewing:set"',
    '"disconnect"',
  ],
  ...[
    '"connect"',
    '"error"',
    '"_placeholder"',
    '"num"',
    'CLIENT',
    'NONCE',
    'KEY',
    '6',
    '4',
    '5',
    '1',
    '0',
    '/visitor?x=1,',
  ],
]

/** The id of the command that a run ends with. */
const LAST = 4_194_303
const ACK = /^43\/visitor,(\d+)(.*)$/s

/**
 * Each line is a WebSocket message, and one that begins with `\x01` is binary. `CLIENT`, `KEY`, and `NONCE` stand for
 * the stranger's own. The server must answer one more ordinary command, or close the connection.
 */
export async function open(): Promise<Target> {
  const worlds = createAppWorlds()
  return {
    beforeRun: worlds.beforeRun,
    async run(input) {
      const { test, stranger, origin } = worlds.world
      const clientId = stranger.clientIds[worlds.run % stranger.clientIds.length] ?? ''
      const lines = input
        .toString('latin1')
        .replaceAll('CLIENT', clientId)
        .replaceAll('KEY', stranger.key)
        .replaceAll('NONCE', `nonce${String(worlds.run).padStart(15, '0')}`)
        .split('\n')
      const connect = `40/visitor,${JSON.stringify({ clientId, key: stranger.key })}`
      const last = `42/visitor,${LAST}["conversation:sync",{"after":0}]`
      const received = await talk(`ws://${origin}/socket.io/?EIO=4&transport=websocket`, [
        ...lines,
        connect,
        last,
      ])
      checkLog(test)
      return received.flatMap(kindOf)
    },
    close: worlds.close,
  }
}

/** Resolves with what came when the last command is answered or the server has closed the connection. */
function talk(url: string, lines: readonly string[]): Promise<string[]> {
  const received: string[] = []
  const socket = new WebSocket(url, { perMessageDeflate: false })
  return new Promise((resolve, reject) => {
    socket.once('open', () => {
      for (const line of lines) {
        const bytes = Buffer.from(line, 'latin1')
        if (bytes[0] === 1) socket.send(bytes.subarray(1), { binary: true })
        else socket.send(bytes.toString(), { binary: false })
      }
    })
    socket.on('message', (data) => {
      const text = data.toString()
      received.push(text)
      if (text.startsWith(`43/visitor,${LAST}`)) socket.close()
    })
    socket.once('close', (code) => resolve([...received, `closed ${code}`]))
    // The server may refuse what the client has begun to send.
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (['ECONNRESET', 'EPIPE'].includes(error.code ?? '')) resolve([...received, 'reset'])
      else reject(error)
    })
  })
}

/** Says which answer it is. Throws if it is none. */
function kindOf(text: string): string[] {
  const [, id, content = ''] = ACK.exec(text) ?? []
  if (id === undefined)
    return [/^(?:closed \d+|\d{1,2}(?:\/visitor|\/admin)?,?(?:\["[\w:]+")?)/.exec(text)?.[0] ?? 'other']
  const [answer] = JSON.parse(content) as [{ ok: boolean; error?: unknown; data?: unknown }]
  if (answer.ok) return [`ok ${Object.keys(answer.data ?? {}).join()}`]
  checkError(answer.error)
  const { code, details } = answer.error as { code: string; details?: { message: string }[] }
  return [`${code} ${details?.[0]?.message}`]
}
