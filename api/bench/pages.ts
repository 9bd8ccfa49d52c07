import { readFileSync, writeFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { connect } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type PageText, pageTextPath } from '@proctorpass/shared/page-text'
import type { LiveConfig } from '@proctorpass/shared/schemas/config'
import type { RenderInput, ServerEntry } from '@proctorpass/shared/ssr'
import { API_PREFIX } from '../test/chat-client.ts'
import { temporaryDir } from '../test/server-process.ts'
import {
  alternate,
  type Benchmark,
  type Comparison,
  type MeasuredServer,
  startMeasured,
} from './benchmark.ts'

const BARE_HTTP = fileURLToPath(new URL('./bare-http.ts', import.meta.url))
const DIST = fileURLToPath(new URL('../../web/dist', import.meta.url))
const ENTRY = pathToFileURL(join(DIST, 'server/entry-server.js')).href
const CONNECTIONS = 16
const ARTICLE = '/blog/how-to-cheat-on-proctoru'

/** Prerendered pages, against bare Fastify with the same bytes; and the cost of rendering beyond React. */
export const pages: Benchmark = {
  name: 'pages',
  async run({ quick }) {
    const dir = temporaryDir('bench')
    const product = await startMeasured({
      dataDir: dir.path,
      env: { SERVE_WEB: 'true', SEED_DEMO: 'true' },
    })
    try {
      return [
        ...(await compareCached(quick, product, '/', 'a cached page')),
        ...(await compareCached(
          quick,
          product,
          `${API_PREFIX}/blogs?page=1&perPage=15`,
          'a cached list of posts',
        )),
        await compareRendered(quick, product.origin),
      ]
    } finally {
      await product.stop('SIGKILL')
      dir.remove()
    }
  },
}

async function compareCached(
  quick: boolean,
  product: MeasuredServer,
  path: string,
  what: string,
): Promise<Comparison[]> {
  const answer = await fetch(product.origin + path, { headers: { 'accept-encoding': 'identity' } })
  const dir = temporaryDir('bench')
  writeFileSync(join(dir.path, 'body'), Buffer.from(await answer.arrayBuffer()))
  const bare = await startMeasured({
    dataDir: dir.path,
    entry: BARE_HTTP,
    env: { BODY_TYPE: answer.headers.get('content-type') ?? '' },
  })
  try {
    const ms = quick ? 200 : 400
    const { subject, reference } = await alternate(quick ? 7 : 31, {
      subject: () => load(product, path, ms),
      reference: () => load(bare, path, ms),
    })
    const compare = (unit: string, of: (slice: Served) => number): Comparison => ({
      kind: 'comparison',
      what: `${what}: requests a ${unit}`,
      unit: '/s',
      subject: subject.map(of),
      reference: reference.map(of),
      aim: { atLeast: 0.8 },
    })
    return [
      compare("second of the server's processor time", ({ answers, cpu }) => answers / cpu),
      compare('second of the clock', ({ answers, seconds }) => answers / seconds),
    ]
  } finally {
    await bare.stop('SIGKILL')
    dir.remove()
  }
}

interface Served {
  answers: number
  seconds: number
  /** Seconds that the server was on the processor for them. */
  cpu: number
}

/**
 * Closed loop over bare TCP connections: the answers are all of one length, so that nothing is parsed and the
 * server remains the bottleneck.
 */
async function load(server: MeasuredServer, path: string, ms: number): Promise<Served> {
  const { host, hostname, port } = new URL(server.origin)
  const request = `GET ${path} HTTP/1.1\r\nhost: ${host}\r\n\r\n`
  const before = await server.usage()
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
  const seconds = (performance.now() - from) / 1000
  const after = await server.usage()
  return {
    answers: counts.reduce((sum, count) => sum + count, 0),
    seconds,
    cpu: (after.cpu - before.cpu) / 1e6,
  }
}

function lengthOfAnswer(start: Buffer): number {
  const head = start.toString('latin1').split('\r\n\r\n')[0] ?? ''
  const body = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (!head.startsWith('HTTP/1.1 200') || body === undefined)
    throw new Error(`not a finished answer: ${head}`)
  return head.length + 4 + Number(body)
}

/**
 * An article, its data at hand, made into the whole document; against React alone, which is given the very tree that
 * the page was made of. Neither is compressed. Both run in this process, alternately.
 */
async function compareRendered(quick: boolean, origin: string): Promise<Comparison> {
  const { entry, react } = await loadObserved()
  const template = readFileSync(join(DIST, 'client/index.html'), 'utf8')
  const config = (await (await fetch(`${origin}${API_PREFIX}/config`)).json()) as LiveConfig
  const answers = new Map<string, unknown>()
  async function read(path: string): Promise<unknown> {
    if (!answers.has(path)) answers.set(path, await (await fetch(`${origin}${API_PREFIX}${path}`)).json())
    return answers.get(path)
  }
  const input: RenderInput = {
    url: origin + ARTICLE,
    config,
    languages: config.languages,
    publicUrl: origin,
    apiPrefix: API_PREFIX,
    hours: null,
    async fetchApi(path) {
      return { status: 200, json: async () => read(path) }
    },
    texts: {
      page: async (key, lang) => (await read(pageTextPath(key, lang))) as PageText,
      listed: async () => [],
    },
  }
  const renderPage = async () => {
    const result = await entry.render(input, template)
    if (result.kind !== 'page' || result.status !== 200) throw new Error('the article was not rendered')
  }
  const renderTree = () => void react.renderAgain()
  const perSecond = async (render: () => Promise<void> | void, times = 100) => {
    const { user, system } = process.cpuUsage()
    for (let i = 0; i < times; i++) await render()
    const spent = process.cpuUsage({ user, system })
    return (times * 1e6) / (spent.user + spent.system)
  }
  // Until V8 has compiled both as well as it will.
  for (const render of [renderPage, renderTree]) await perSecond(render, quick ? 500 : 2_000)
  return {
    kind: 'comparison',
    what: 'a rendered page, against bare renderToString of the same tree',
    unit: '/s',
    ...(await alternate(quick ? 15 : 75, {
      subject: () => perSecond(renderPage),
      reference: () => perSecond(renderTree),
    })),
    aim: { atLeast: 0.7 },
  }
}

/** The build holds React inside: the one way to its tree, and to the same React, is the call that the build makes. */
async function loadObserved(): Promise<{ entry: ServerEntry; react: { renderAgain(): string } }> {
  const call = '(0, import_server_node.renderToString)('
  const observer = Symbol.for('proctorpass.bench.render')
  const react = { renderAgain: (): string => '' }
  const observe = (renderToString: (tree: unknown) => string) => (tree: unknown) => {
    react.renderAgain = () => renderToString(tree)
    return renderToString(tree)
  }
  Object.assign(globalThis, { [observer]: observe })
  const hooks = registerHooks({
    load(url, context, next) {
      const loaded = next(url, context)
      if (url !== ENTRY) return loaded
      const source = String(loaded.source)
      if (!source.includes(call))
        throw new Error('the build calls React in another way than this benchmark knows')
      const observed = `globalThis[Symbol.for('${observer.description}')](import_server_node.renderToString)(`
      return { ...loaded, source: source.replaceAll(call, observed) }
    },
  })
  try {
    return { entry: await import(ENTRY), react }
  } finally {
    hooks.deregister()
  }
}
