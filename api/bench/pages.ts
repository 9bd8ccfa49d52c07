import { readFileSync, writeFileSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { RenderInput, ServerEntry } from '@proctorpass/shared/ssr'
import { API_PREFIX } from '../test/chat-client.ts'
import { startServer, temporaryDir } from '../test/server-process.ts'
import { alternate, type Benchmark, type Comparison, type Finding } from './benchmark.ts'

const BARE_HTTP = fileURLToPath(new URL('./bare-http.ts', import.meta.url))
const DIST = fileURLToPath(new URL('../../web/dist', import.meta.url))
const CONNECTIONS = 16
const ARTICLE = '/blog/how-to-cheat-on-proctoru'

/** What is served finished, against bare Fastify with the same bytes; and what rendering costs beyond React. */
export const pages: Benchmark = {
  name: 'pages',
  async run({ quick }) {
    const dir = temporaryDir('bench')
    const product = await startServer({
      dataDir: dir.path,
      env: { SERVE_WEB: 'true', SEED_DEMO: 'true' },
    })
    try {
      return [
        await compareKept(quick, product.origin, '/', 'a kept page, requests a second'),
        await compareKept(
          quick,
          product.origin,
          `${API_PREFIX}/blogs?page=1&perPage=15`,
          'a kept list of posts, requests a second',
        ),
        await shareOfReact(quick, product.origin),
      ]
    } finally {
      await product.stop('SIGKILL')
      dir.remove()
    }
  },
}

async function compareKept(quick: boolean, origin: string, path: string, what: string): Promise<Comparison> {
  const answer = await fetch(origin + path, { headers: { 'accept-encoding': 'identity' } })
  const dir = temporaryDir('bench')
  writeFileSync(join(dir.path, 'body'), Buffer.from(await answer.arrayBuffer()))
  const bare = await startServer({
    dataDir: dir.path,
    entry: BARE_HTTP,
    env: { BODY_TYPE: answer.headers.get('content-type') ?? '' },
  })
  try {
    const ms = quick ? 500 : 2_000
    const sides = {
      subject: () => requestsPerSecond(origin, path, ms),
      reference: () => requestsPerSecond(bare.origin, path, ms),
    }
    return {
      kind: 'comparison',
      what,
      unit: '/s',
      ...(await alternate(quick ? 3 : 9, sides)),
      aim: { atLeast: 0.8 },
    }
  } finally {
    await bare.stop('SIGKILL')
    dir.remove()
  }
}

/**
 * Closed loop over bare TCP connections: the answers are all of one length, so that nothing is parsed and the
 * server stays what is measured.
 */
async function requestsPerSecond(origin: string, path: string, ms: number): Promise<number> {
  const { host, hostname, port } = new URL(origin)
  const request = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`
  const from = performance.now()
  const counts = await Promise.all(
    Array.from(
      { length: CONNECTIONS },
      () =>
        new Promise<number>((resolve, reject) => {
          const socket = connect(Number(port), hostname, () => socket.write(request))
          let answered = 0
          let length = 0
          let received = 0
          socket.on('error', reject)
          socket.on('data', (chunk: Buffer) => {
            if (length === 0) length = lengthOfAnswer(chunk)
            received += chunk.length
            if (received < length) return
            received = 0
            answered += 1
            if (performance.now() - from < ms) return void socket.write(request)
            socket.destroy()
            resolve(answered)
          })
        }),
    ),
  )
  return counts.reduce((sum, count) => sum + count, 0) / ((performance.now() - from) / 1000)
}

function lengthOfAnswer(start: Buffer): number {
  const head = start.toString('latin1').split('\r\n\r\n')[0] ?? ''
  const body = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (!head.startsWith('HTTP/1.1 200') || body === undefined)
    throw new Error(`not a finished answer: ${head}`)
  return head.length + 4 + Number(body)
}

/**
 * How much of rendering an article, its data at hand, is React's own renderToString (of page and head): what that alone of
 * the same trees would take, over what the page takes. Sampled by V8's profiler in this process.
 */
async function shareOfReact(quick: boolean, origin: string): Promise<Finding> {
  const entry: ServerEntry = await import(pathToFileURL(join(DIST, 'server/entry-server.js')).href)
  const template = readFileSync(join(DIST, 'client/index.html'), 'utf8')
  const config = (await (await fetch(`${origin}${API_PREFIX}/config`)).json()) as PublicConfig
  const answers = new Map<string, unknown>()
  const input: RenderInput = {
    url: origin + ARTICLE,
    config,
    publicUrl: origin,
    apiPrefix: API_PREFIX,
    async fetchApi(path) {
      if (!answers.has(path)) answers.set(path, await (await fetch(`${origin}${API_PREFIX}${path}`)).json())
      return { status: 200, json: async () => answers.get(path) }
    },
  }
  const render = async (times: number) => {
    for (let i = 0; i < times; i++) {
      const result = await entry.render(input, template)
      if (result.kind !== 'page' || result.status !== 200) throw new Error('the article was not rendered')
    }
  }
  await render(200)

  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  await session.post('Profiler.start')
  await render(quick ? 300 : 1_500)
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()

  const children = new Map(profile.nodes.map((node) => [node.id, node.children ?? []]))
  const inReact = new Set<number>()
  const take = (id: number) => {
    inReact.add(id)
    for (const child of children.get(id) ?? []) take(child)
  }
  let idle = -1
  for (const { id, callFrame } of profile.nodes) {
    if (callFrame.functionName === '(idle)') idle = id
    if (callFrame.functionName === 'renderToStringImpl') take(id)
  }
  const busy = profile.samples?.filter((id) => id !== idle) ?? []
  const share = busy.filter((id) => inReact.has(id)).length / busy.length
  return {
    kind: 'finding',
    what: 'a rendered page: speed against bare renderToString of the same tree',
    value: share.toFixed(2),
    aim: '>= 0.70',
    met: share >= 0.7,
  }
}
