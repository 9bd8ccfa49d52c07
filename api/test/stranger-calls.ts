import { VISITOR_NAMESPACE } from '@proctorpass/shared/paths'
import { DEFAULT_SETTINGS } from '@proctorpass/shared/schemas/settings'
import { io } from 'socket.io-client'
import { newId } from './chat-client.ts'

/** One request of a stranger. */
export interface StrangerCall {
  path: string
  method: string
  headers: Record<string, string>
  type?: string
  body?: string | Buffer
}

/** What a stranger finds on the server, or made there. */
export interface StrangerWorld {
  /** Conversations of the stranger, with one key. */
  clientIds: readonly string[]
  key: string
  site: string
  slug: string
}

/** A request of a row. By default it has the path of the row, with its parameters filled in. */
type MakeCall = (
  world: StrangerWorld,
  index: number,
) => { path?: string; headers?: Record<string, string>; type?: string; body?: string | Buffer }

const EMOJI = '😀'
const ID = '0'.repeat(24)
const TOKEN = 'x'.repeat(43)
/** An image of one pixel. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const json = (body: object) => ({ type: 'application/json', body: JSON.stringify(body) })
const post =
  (body: (world: StrangerWorld, index: number) => object): MakeCall =>
  (world, index) =>
    json(body(world, index))
/** A call of our own pages. */
const framed =
  (body: (world: StrangerWorld) => object): MakeCall =>
  (world) => ({ ...json(body(world)), headers: { 'sec-fetch-site': 'same-origin' } })
/** A call with the visitor's key. */
const keyed =
  (body?: (index: number) => object): MakeCall =>
  ({ key }, index) => ({
    headers: { authorization: `Visitor ${key}` },
    ...(body === undefined ? {} : json(body(index))),
  })
const form =
  (fields: Record<string, string>): MakeCall =>
  () => ({
    type: 'application/x-www-form-urlencoded',
    body: new URLSearchParams(fields).toString(),
  })

/** By rows of ROUTE_ACCESS: the call that costs most, or nearly so. Reads without parameters need no entry. */
const STRANGER_CALLS: Readonly<Record<string, MakeCall>> = {
  'POST {api}/csp-report': (_world, index) => ({
    type: 'application/csp-report',
    body: JSON.stringify({
      'csp-report': { 'effective-directive': 'script-src', 'blocked-uri': `https://site${index}.example` },
    }),
  }),
  'POST {api}/auth': post((_world, index) => ({
    userName: `name${index}`,
    password: EMOJI.repeat(100),
  })),
  'POST {api}/auth/logout': post(() => ({})),
  'POST {api}/auth/factor': post(() => ({ challenge: TOKEN, code: '123456' })),
  'POST {api}/auth/passkey/options': post(() => ({})),
  'POST {api}/auth/passkey': post(() => ({
    response: {
      ...{ id: 'AAAA', rawId: 'AAAA', type: 'public-key', clientExtensionResults: {} },
      response: { clientDataJSON: 'e30', authenticatorData: 'AAAA', signature: 'AAAA' },
    },
  })),
  'POST {api}/chat': ({ clientIds, key }, index) => ({
    headers: { authorization: `Visitor ${key}` },
    ...json({ clientId: clientIds[index % clientIds.length], message: EMOJI.repeat(4_000) }),
  }),
  'GET {api}/chat/:clientId': keyed(),
  'DELETE {api}/chat/:clientId': () => ({ path: `{api}/chat/${newId()}` }),
  'POST {api}/chat/:clientId/read': keyed(() => ({ seq: 1 })),
  'PATCH {api}/chat/:clientId/profile': keyed((index) => ({ name: `${index} ${EMOJI.repeat(60)}` })),
  'POST {api}/chat/:clientId/rating': keyed(() => ({ score: 5, words: EMOJI.repeat(1_000) })),
  'GET {api}/chat/:clientId/export': keyed(),
  'POST {api}/chat/:clientId/files': ({ key }) => ({
    headers: { authorization: `Visitor ${key}` },
    type: 'multipart/form-data; boundary=x',
    body: Buffer.concat([
      Buffer.from(`--x\r\nContent-Disposition: form-data; name="nonce"\r\n\r\n${newId()}\r\n`),
      Buffer.from('--x\r\nContent-Disposition: form-data; name="file"; filename="x.png"\r\n'),
      Buffer.from('Content-Type: image/png\r\n\r\n'),
      PNG,
      Buffer.from('\r\n--x--\r\n'),
    ]),
  }),
  'GET {api}/chat/:clientId/files/:id': keyed(),
  'POST {api}/chat/resume': post(() => ({ token: TOKEN })),
  'POST {api}/chat/subscribe': post(() => ({ token: TOKEN })),
  'POST {api}/account/weekly/unsubscribe/:token': form({ 'List-Unsubscribe': 'One-Click' }),
  'POST {api}/chat/unsubscribe/:token': form({ 'List-Unsubscribe': 'One-Click' }),
  'POST /embed/:site/remember': framed(({ clientIds, key }) => ({ clientId: clientIds[0], key })),
  'DELETE /embed/:site/remember': framed(() => ({})),
  'POST /embed/:site/restore': framed(() => ({})),
  'POST /embed/:site/identify': framed(() => ({ token: TOKEN })),
  'POST /embed/:site/test': framed(() => ({ token: TOKEN, outcome: 'shown' })),
  'POST {api}/suggestions/opened': framed(() => ({ path: '/faq#how-do-refunds-work' })),
  'POST {api}/suggestions/asked': framed(() => ({ path: '/faq#how-do-refunds-work' })),
  'POST {api}/reviews/submit': post(() => ({
    ...{ name: EMOJI.repeat(20), time: 'May 2026', star: 5, review: EMOJI.repeat(900) },
  })),
  'POST {api}/contacts': post((_world, index) => ({
    ...{ email: `a${index}@example.com`, title: 'Question', message: EMOJI.repeat(4_000) },
  })),
  'POST {api}/invite': post(() => ({ token: TOKEN, password: 'lantern-orbit-velvet' })),
  'POST {api}/invite/name': post(() => ({ token: TOKEN })),
  'GET {api}/texts/:key': () => ({ path: '{api}/texts/privacy' }),
  'GET /*': () => ({ path: '/no-such-page' }),
  'POST /': form({ email: 'a@example.com' }),
  'POST /contact': form({ email: 'a@example.com', title: 'Question', message: EMOJI.repeat(4_000) }),
  'POST /reviews': form({ name: 'A', star: '5', review: EMOJI.repeat(900) }),
  'GET /docs/*': () => ({ path: '/docs/json' }),
}

/** By commands of visitors. */
const COMMANDS: Readonly<Record<string, () => object>> = {
  'message:send': () => ({ nonce: newId(), message: EMOJI.repeat(3_900) }),
  'conversation:sync': () => ({ after: 0 }),
  'conversation:read': () => ({ seq: 1 }),
  'typing:set': () => ({ typing: true }),
}

/** Sends that many commands at once, over one socket. Resolves when all are answered, or the server has closed it. */
export async function sendCommands(
  origin: string,
  command: string,
  { clientIds: [clientId], key }: StrangerWorld,
  count: number,
): Promise<void> {
  const socket = io(origin + VISITOR_NAMESPACE, {
    ...{ transports: ['websocket'], forceNew: true, reconnection: false, auth: { clientId, key } },
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('connect_error', reject)
  })
  const closed = new Promise((resolve) => socket.once('disconnect', resolve))
  const answers = Array.from({ length: count }, () => socket.emitWithAck(command, COMMANDS[command]?.()))
  await Promise.race([Promise.allSettled(answers), closed])
  socket.disconnect()
}

/** The request of a row. */
export function callOf(row: string, world: StrangerWorld, index: number): StrangerCall {
  const [method = '', path = ''] = row.split(' ')
  const { path: given = path, headers = {}, ...content } = STRANGER_CALLS[row]?.(world, index) ?? {}
  const values: Readonly<Record<string, string>> = {
    ...{ site: world.site, slug: world.slug, clientId: world.clientIds[0] ?? '' },
    ...{ token: TOKEN, name: 'x.png', n: '1' },
  }
  const filled = given
    .replace('{api}', '/api')
    .replace(/:(\w+)/g, (_whole, name: string) => values[name] ?? ID)
  return { method, path: filled, headers, ...content }
}

type Ask = (call: StrangerCall) => Promise<{ data?: { _id: string; slug?: string } }>

/** Makes what strangers find, with the session of an admin. */
export async function makeWorld(ask: Ask, bearer: Record<string, string>): Promise<StrangerWorld> {
  const clientIds = Array.from({ length: 10 }, newId)
  const key = 'k'.repeat(43)
  for (const clientId of clientIds) {
    const headers = { authorization: `Visitor ${key}` }
    await ask({ method: 'POST', path: '/api/chat', headers, ...json({ clientId, message: 'Hello' }) })
  }
  const asAdmin = (method: string, path: string, body: object) =>
    ask({ method, path: `/api${path}`, headers: bearer, ...json(body) })
  await asAdmin('PUT', '/settings', { ...DEFAULT_SETTINGS, files: true, version: 0 })
  const site = await asAdmin('POST', '/sites', { name: 'Shop', origins: ['https://shop.example'] })
  return { clientIds, key, site: site.data?._id ?? '', slug: 'no-such-post' }
}
