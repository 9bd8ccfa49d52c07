import { signInAsAdmin } from '../../api/test/chat-client.ts'
import { ADMIN, type ServerProcess, startServer, temporaryDir } from '../../api/test/server-process.ts'

export { ADMIN }

/** One stored message as REST answers it; the few fields that the browser tests look at. */
interface StoredMessage {
  message: string
  seq: number
  senderId: string
}

/** The real server on a port and in a data folder of its own, which survive its death. */
export class Product {
  private readonly data: { path: string; remove: () => void }
  private server: ServerProcess
  private token: string | undefined
  private readonly env: Record<string, string>

  private constructor(
    server: ServerProcess,
    data: { path: string; remove: () => void },
    env: Record<string, string>,
  ) {
    this.server = server
    this.data = data
    this.env = env
  }

  static async start(env: Record<string, string>): Promise<Product> {
    const data = temporaryDir('e2e')
    const all = { SERVE_WEB: 'true', RATE_LIMITS: 'on', ...env }
    return new Product(await startServer({ dataDir: data.path, env: all }), data, all)
  }

  get origin(): string {
    return this.server.origin
  }

  url(path: string): string {
    return `${this.server.origin}${path}`
  }

  async kill(): Promise<void> {
    await this.server.stop('SIGKILL')
  }

  /** SIGTERM, as an operator stops it. */
  async shutDown(): Promise<void> {
    await this.server.stop('SIGTERM')
  }

  /** Again, on the same port and data. */
  async startAgain(env: Record<string, string> = {}): Promise<void> {
    this.server = await startServer({
      dataDir: this.data.path,
      port: this.server.port,
      env: { ...this.env, ...env },
    })
  }

  async dispose(): Promise<void> {
    await this.server.stop('SIGKILL')
    this.data.remove()
  }

  /** A visitor's message from outside the browser. */
  async post(clientId: string, message: string): Promise<void> {
    const answer = await fetch(this.url('/api/chat'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, message }),
    })
    if (!answer.ok) throw new Error(`POST /chat: ${answer.status} ${await answer.text()}`)
  }

  /** What is stored of a conversation, in order of seq. As an admin sees it, but it is not marked as read. */
  async stored(clientId: string): Promise<StoredMessage[]> {
    this.token ??= (await signInAsAdmin(this.origin)).accessToken
    const headers = { authorization: `Bearer ${this.token}` }
    const answer = await fetch(this.url(`/api/chat/admin/${clientId}?before=${Number.MAX_SAFE_INTEGER}`), {
      headers,
    })
    const page = (await answer.json()) as { messages: StoredMessage[] }
    return page.messages
  }
}
