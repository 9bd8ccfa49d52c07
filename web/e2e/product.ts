import { readFileSync } from 'node:fs'
import type { SignedIn } from '@proctorpass/shared/schemas/auth'
import type { Visitor } from '@proctorpass/shared/schemas/inbox'
import { ADMIN } from '../../api/test/admin.ts'
import { signInAsAdmin } from '../../api/test/chat-client.ts'
import { BUNDLE, type ServerProcess, startServer, temporaryDir } from '../../api/test/server-process.ts'

export { ADMIN }

const LOGO = readFileSync(new URL('../../api/test/pictures/BENIGN-logo.svg', import.meta.url))

/** The fields of a stored message that the browser tests read. */
interface StoredMessage {
  message: string
  seq: number
  senderId: string
}

/** The real server with its own port and data folder, which both survive a restart. */
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
    return new Product(await startServer({ entry: BUNDLE, dataDir: data.path, env: all }), data, all)
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

  /** Stops with SIGTERM. */
  async shutDown(): Promise<void> {
    await this.server.stop('SIGTERM')
  }

  /** Restarts on the same port and data. */
  async startAgain(env: Record<string, string> = {}): Promise<void> {
    this.server = await startServer({
      entry: BUNDLE,
      dataDir: this.data.path,
      port: this.server.port,
      env: { ...this.env, ...env },
    })
  }

  async dispose(): Promise<void> {
    await this.server.stop('SIGKILL')
    this.data.remove()
  }

  /** A new session, as a browser keeps it. */
  async signIn() {
    const answer = await fetch(this.url('/api/auth'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(ADMIN),
    })
    if (!answer.ok) throw new Error(`POST /auth: ${answer.status} ${await answer.text()}`)
    const { user_Id } = (await answer.json()) as SignedIn
    const cookies = answer.headers.getSetCookie().map((cookie) => {
      const [, name = '', value = '', path = ''] = /^(\w+)=([^;]*).*; Path=([^;]*)/.exec(cookie) ?? []
      const { hostname: domain } = new URL(this.origin)
      return {
        name,
        value,
        path,
        domain,
        expires: -1,
        httpOnly: true,
        secure: false,
        sameSite: 'Strict' as const,
      }
    })
    const localStorage = [{ name: 'userId', value: user_Id }]
    return { cookies, origins: [{ origin: this.origin, localStorage }] }
  }

  /** Sends a visitor's message over REST. */
  async post(clientId: string, message: string): Promise<void> {
    const answer = await fetch(this.url('/api/chat'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, message }),
    })
    if (!answer.ok) throw new Error(`POST /chat: ${answer.status} ${await answer.text()}`)
  }

  /** Sends an admin's message over REST. */
  async reply(clientId: string, message: string): Promise<void> {
    const { user_Id } = await signInAsAdmin(this.origin)
    await this.callAsAdmin('POST', '/chat', { clientId, message, senderId: user_Id })
  }

  /** A conversation's stored messages in order of seq. Reading them does not move the read mark. */
  async stored(clientId: string): Promise<StoredMessage[]> {
    const path = `/api/chat/admin/${clientId}?before=${Number.MAX_SAFE_INTEGER}`
    const answer = await this.fetchAsAdmin(path)
    const page = (await answer.json()) as { messages: StoredMessage[] }
    return page.messages
  }

  /** What is known of a visitor. */
  async known(clientId: string): Promise<Visitor> {
    const answer = await this.fetchAsAdmin(`/api/chat/admin/${clientId}/visitor`)
    return (await answer.json()) as Visitor
  }

  async texts(clientId: string): Promise<string[]> {
    return (await this.stored(clientId)).map(({ message }) => message)
  }

  /** Publishes a post over REST. */
  async createPost(fields: { title: string; summary: string; slug: string; content: string }): Promise<void> {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('file', new File([LOGO], 'a.svg', { type: 'image/svg+xml' }))
    const answer = await this.fetchAsAdmin('/api/blogs', { method: 'POST', body: form })
    if (answer.status !== 201) {
      throw new Error(`POST /blogs: ${answer.status} ${await answer.text()} for ${fields.content}`)
    }
  }

  /** Calls the API as the admin, with JSON. */
  async callAsAdmin<T>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.fetchAsAdmin(`/api${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (answer.status === 204 ? undefined : await answer.json()) as T
  }

  private async fetchAsAdmin(path: string, init: RequestInit = {}): Promise<Response> {
    this.token ??= (await signInAsAdmin(this.origin)).accessToken
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${this.token}`)
    return fetch(this.url(path), { ...init, headers })
  }
}
