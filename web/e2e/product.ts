import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import type { BrowserContext } from '@playwright/test'
import { PER_PAGE_MAX } from '@proctorpass/shared/limits'
import type { SignedIn } from '@proctorpass/shared/schemas/auth'
import type { BlogList } from '@proctorpass/shared/schemas/blog'
import type { ConversationList } from '@proctorpass/shared/schemas/chat'
import type { Visitor } from '@proctorpass/shared/schemas/inbox'
import type { CannedReplyList } from '@proctorpass/shared/schemas/reply'
import type { ReviewList } from '@proctorpass/shared/schemas/review'
import { DEFAULT_SETTINGS, type Settings } from '@proctorpass/shared/schemas/settings'
import type { SiteList } from '@proctorpass/shared/schemas/site'
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

/** An access token is valid for 15 minutes, and so long a session is confirmed by its sign-in. */
const TOKEN_MS = 10 * 60_000

type Cookies = Awaited<ReturnType<BrowserContext['cookies']>>

/** The session of a browser's cookies; empty without one. */
function sidOf(cookies: Cookies): string {
  return cookies.find(({ name }) => name === 'refresh')?.value.split('.')[0] ?? ''
}

/** The real server with a port and a data folder of its own. */
export class Product {
  protected server: ServerProcess
  protected readonly data: { path: string; remove: () => void }
  protected readonly env: Record<string, string>
  protected admin: { accessToken: string; userId: string; since: number } | undefined
  /** Cookies of sessions that no browser uses now. */
  private idleSessions: Cookies[] = []
  /** When each session began, by its id. */
  private readonly signedInAt = new Map<string, number>()
  /** The paths of the posts and reviews of the start. */
  private samples: string[] = []

  protected constructor(
    server: ServerProcess,
    data: { path: string; remove: () => void },
    env: Record<string, string>,
  ) {
    this.server = server
    this.data = data
    this.env = env
  }

  /** A product for tests that use it one after another, with `reset` in between. */
  static async startShared(env: Record<string, string>): Promise<Product> {
    const product = await FreshProduct.start(env)
    product.samples = await product.content()
    return product
  }

  get origin(): string {
    return this.server.origin
  }

  url(path: string): string {
    return `${this.server.origin}${path}`
  }

  /** A session of the admin, as a browser keeps it. No other browser uses it. */
  async signIn(): Promise<{ cookies: Cookies; userId: string }> {
    this.idleSessions = this.idleSessions.filter((cookies) => this.isConfirmed(cookies))
    const idle = this.idleSessions.pop()
    const { user_Id, cookies } = (idle && (await this.refresh(idle))) ?? (await this.askForSession('', ADMIN))
    return { cookies, userId: user_Id }
  }

  /** Takes the session back from a browser that is closed, for the next `signIn`: passwords are slow to check. */
  takeBack(cookies: Cookies): void {
    this.idleSessions.push(cookies)
  }

  private isConfirmed(cookies: Cookies): boolean {
    return Date.now() - (this.signedInAt.get(sidOf(cookies)) ?? 0) < TOKEN_MS
  }

  /** As if every session had been confirmed long ago. */
  outdateConfirmations(): void {
    const db = new DatabaseSync(join(this.data.path, 'chat.sqlite'), { timeout: 5_000 })
    db.exec('UPDATE sessions SET confirmedAt = 0')
    db.close()
    this.signedInAt.clear()
    this.admin = undefined
  }

  /** Null when the session has ended meanwhile. */
  private async refresh(cookies: Cookies) {
    const { userId } = await this.signedIn()
    return this.askForSession(`/refresh/${userId}`, undefined, cookies).catch(() => null)
  }

  private async askForSession(path: string, body?: object, sent: Cookies = []) {
    const answer = await fetch(this.url(`/api/auth${path}`), {
      headers: {
        'content-type': 'application/json',
        cookie: sent.map(({ name, value }) => `${name}=${value}`).join('; '),
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    if (!answer.ok) throw new Error(`/auth${path}: ${answer.status} ${await answer.text()}`)
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
    if (body !== undefined) this.signedInAt.set(sidOf(cookies), Date.now())
    return { user_Id, cookies }
  }

  /** Sends a visitor's message over REST. */
  async post(clientId: string, message: string): Promise<void> {
    const answer = await fetch(this.url('/api/chat'), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ clientId, message }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`POST /chat: ${answer.status} ${text}`)
  }

  /** Sends an admin's message over REST. */
  async reply(clientId: string, message: string): Promise<void> {
    const { userId } = await this.signedIn()
    await this.callAsAdmin('POST', '/chat', { clientId, message, senderId: userId })
  }

  /** A conversation's stored messages in order of seq. Reading them does not move the read mark. */
  async stored(clientId: string): Promise<StoredMessage[]> {
    const path = `/api/chat/admin/${clientId}?before=${Number.MAX_SAFE_INTEGER}`
    const answer = await this.fetchAsAdmin(path)
    const page = (await answer.json()) as { messages: StoredMessage[] }
    return page.messages
  }

  /** The data of a visitor. */
  async known(clientId: string): Promise<Visitor> {
    const answer = await this.fetchAsAdmin(`/api/chat/admin/${clientId}/visitor`)
    return (await answer.json()) as Visitor
  }

  async texts(clientId: string): Promise<string[]> {
    return (await this.stored(clientId)).map(({ message }) => message)
  }

  /** Publishes a post over REST. */
  async createPost(fields: {
    title: string
    summary: string
    slug: string
    content: string
    imgAlt?: string
  }): Promise<void> {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.append(name, value)
    form.append('file', new File([LOGO], 'a.svg', { type: 'image/svg+xml' }))
    const answer = await this.fetchAsAdmin('/api/blogs', { method: 'POST', body: form })
    // Read in any case: the end of a connection with an unread body throws outside of the test.
    const text = await answer.text()
    if (answer.status !== 201) throw new Error(`POST /blogs: ${answer.status} ${text} for ${fields.content}`)
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

  /** Calls the API as the admin, with a form. */
  async sendAsAdmin<T>(method: string, path: string, body: FormData): Promise<T> {
    const answer = await this.fetchAsAdmin(`/api${path}`, { method, body })
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
    return (await answer.json()) as T
  }

  /** Changes the settings that are stored now. */
  async configure(change: Partial<Settings>): Promise<void> {
    const stored = await this.callAsAdmin<Settings>('GET', '/settings')
    await this.callAsAdmin('PUT', '/settings', { ...stored, ...change, version: stored.version })
  }

  /**
   * Removes what a test made: conversations, posts, reviews, canned replies, settings and what the admin says of
   * themselves. Contact messages, other admins and changes of samples stay: tests that need to be without these start a
   * product of their own.
   */
  async reset(): Promise<void> {
    for (;;) {
      const list = await this.callAsAdmin<ConversationList>(
        'GET',
        '/chat?status=open,snoozed,resolved,spam&limit=100',
      )
      if (!Array.isArray(list)) break
      for (const { clientId } of list) await this.callAsAdmin('DELETE', `/chat/admin/${clientId}`)
    }
    for (const path of await this.content()) {
      if (!this.samples.includes(path)) await this.callAsAdmin('DELETE', path)
    }
    const { replies } = await this.callAsAdmin<CannedReplyList>('GET', '/replies')
    for (const { _id } of replies) await this.callAsAdmin('DELETE', `/replies/${_id}`)
    const { sites } = await this.callAsAdmin<SiteList>('GET', '/sites')
    for (const { _id } of sites) await this.callAsAdmin('DELETE', `/sites/${_id}`)
    await this.resetSettings()
    await this.callAsAdmin('PATCH', '/account', {
      ...{ displayName: null, onDuty: true, email: null, weeklyMail: false, timeZone: null },
    })
    await this.callAsAdmin('DELETE', '/account/face')
  }

  async resetSettings(): Promise<void> {
    const settings = await this.callAsAdmin<Settings>('GET', '/settings')
    const defaults = { ...DEFAULT_SETTINGS, version: settings.version }
    if (!isDeepStrictEqual(settings, defaults)) await this.callAsAdmin('PUT', '/settings', defaults)
  }

  /** The paths of the newest posts and reviews: more than a test makes. */
  private async content(): Promise<string[]> {
    const query = `perPage=${PER_PAGE_MAX}`
    const [{ blogs }, ...lists] = await Promise.all([
      this.callAsAdmin<BlogList>('GET', `/blogs?${query}`),
      this.callAsAdmin<ReviewList>('GET', `/reviews?${query}`),
      this.callAsAdmin<ReviewList>('GET', `/reviews/pending?${query}`),
    ])
    const reviews = lists.flatMap((list) => list.reviews)
    return [...blogs.map(({ _id }) => `/blogs/${_id}`), ...reviews.map(({ _id }) => `/reviews/${_id}`)]
  }

  private async signedIn() {
    if (this.admin === undefined || Date.now() - this.admin.since > TOKEN_MS) {
      const { accessToken, user_Id: userId } = await signInAsAdmin(this.origin)
      this.admin = { accessToken, userId, since: Date.now() }
    }
    return this.admin
  }

  private async fetchAsAdmin(path: string, init: RequestInit = {}): Promise<Response> {
    const { accessToken } = await this.signedIn()
    const headers = new Headers(init.headers)
    headers.set('authorization', `Bearer ${accessToken}`)
    return fetch(this.url(path), { ...init, headers })
  }

  async dispose(): Promise<void> {
    await this.server.stop('SIGKILL')
    this.data.remove()
  }
}

/** A product that one test has for itself. Its port and data survive a restart. */
export class FreshProduct extends Product {
  /** `fill` writes into the data folder before the server starts. `entry` is another release's server. */
  static async start(
    env: Record<string, string>,
    { fill, entry = BUNDLE }: { fill?: (dataDir: string) => Promise<void>; entry?: string } = {},
  ): Promise<FreshProduct> {
    const data = temporaryDir('e2e')
    await fill?.(data.path)
    const all = { SERVE_WEB: 'true', RATE_LIMITS: 'on', ...env }
    const server = await startServer({ entry, dataDir: data.path, env: all })
    return new FreshProduct(server, data, all)
  }

  async kill(): Promise<void> {
    await this.server.stop('SIGKILL')
  }

  /** Stops with SIGTERM. */
  async shutDown(): Promise<void> {
    await this.server.stop('SIGTERM')
  }

  /** The folder that the server had at first. */
  get dataDir(): string {
    return this.data.path
  }

  /** Restarts on the same port, and on the same data unless `dataDir` is given. */
  async startAgain(
    env: Record<string, string> = {},
    { entry = BUNDLE, dataDir = this.data.path }: { entry?: string; dataDir?: string } = {},
  ): Promise<void> {
    // A restored store has no sessions.
    if (dataDir !== this.data.path) this.admin = undefined
    const { port } = this.server
    this.server = await startServer({ entry, dataDir, port, env: { ...this.env, ...env } })
  }
}
