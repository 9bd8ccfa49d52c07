import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Webhook } from 'standardwebhooks'

export interface ReceivedEvent {
  /** The header `webhook-id`. */
  id: string
  body: { id: number; type: string; at: string; data: Record<string, unknown> }
  headers: Record<string, string>
  text: string
}

/** A program that receives events. It refuses with 401 what none of its secrets verifies. */
export async function webhookReceiver({ port = 0 } = {}) {
  const received: ReceivedEvent[] = []
  const secrets: string[] = []
  let refused = 0
  let answer = (_event: ReceivedEvent, response: ServerResponse): void => {
    response.writeHead(204).end()
  }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString()
      const headers = request.headers as Record<string, string>
      if (secrets.length > 0 && !secrets.some((secret) => isSigned(secret, text, headers))) {
        refused += 1
        response.writeHead(401).end('bad signature')
        return
      }
      const event = { id: headers['webhook-id'] ?? '', body: JSON.parse(text), headers, text }
      received.push(event)
      answer(event, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    /** `host:port`, as WEBHOOK_HOSTS has it. */
    host: address,
    url: `http://${address}/hook?x=1`,
    received,
    secrets,
    refused: () => refused,
    /** The ids of the events, in the order of their arrival. */
    ids: () => received.map(({ body }) => body.id),
    answer(how: typeof answer) {
      answer = how
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

export type WebhookReceiver = Awaited<ReturnType<typeof webhookReceiver>>

/** Whether the secret signed the text. */
export function isSigned(secret: string, text: string, headers: Record<string, string>): boolean {
  try {
    new Webhook(secret).verify(text, headers)
    return true
  } catch {
    return false
  }
}
