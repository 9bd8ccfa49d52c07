import { execFile, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  CHILD_ENV,
  findFreePort,
  type ServerProcess,
  startServer,
  temporaryDir,
} from '../test/server-process.ts'

// Each doctor waits for a ping of the server.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 })

const FORWARDED = 'proxy_set_header X-Forwarded-For $remote_addr;'
const SOCKETS = 'proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection "upgrade";'
const LARGE = 'client_max_body_size 12m;'

/** What a proxy does: its directives, the lines that the doctor then has of it, and other variables. */
const PROXIES: [name: string, directives: string, lines: RegExp[], variables?: Record<string, string>][] = [
  ['all that it must', `${FORWARDED} ${SOCKETS} ${LARGE}`, [/^ok {5}proxy .* answers, sockets too$/]],
  [
    'no X-Forwarded-For',
    `${SOCKETS} ${LARGE}`,
    [/^WRONG {2}proxy .*no address in X-Forwarded-For.*TRUST_PROXY if there is no proxy$/],
  ],
  [
    'words in X-Forwarded-For',
    `proxy_set_header X-Forwarded-For unknown; ${SOCKETS} ${LARGE}`,
    [/^WRONG {2}proxy .*no address in X-Forwarded-For/],
  ],
  [
    'two hops',
    `proxy_set_header X-Forwarded-For "198.51.100.7, $remote_addr"; ${SOCKETS} ${LARGE}`,
    [/^WRONG {2}proxy .*Set TRUST_PROXY=2$/],
  ],
  [
    'two hops that are set',
    `proxy_set_header X-Forwarded-For "198.51.100.7, $remote_addr"; ${SOCKETS} ${LARGE}`,
    [/^ok {5}proxy /],
    { TRUST_PROXY: '2' },
  ],
  [
    'one hop of two',
    `proxy_set_header X-Forwarded-For $proxy_add_x_forwarded_for; ${SOCKETS} ${LARGE}`,
    [/^WRONG {2}proxy .*a stranger can claim any address.*which is 1 here/],
    { TRUST_PROXY: '2' },
  ],
  [
    'bodies of 1 MB',
    `${FORWARDED} ${SOCKETS}`,
    [/^WRONG {2}proxy .*passes on one of 1 MB, but none of 2 MB.*client_max_body_size 12m/],
  ],
  [
    'idle sockets of 10 s',
    `${FORWARDED} ${SOCKETS} ${LARGE} proxy_read_timeout 10s;`,
    [/^note {3}proxy .*cuts idle sockets after 10 s/],
  ],
  [
    'no PATCH and DELETE',
    `${FORWARDED} ${SOCKETS} ${LARGE} if ($request_method ~ "PATCH|DELETE") { return 405; }`,
    [/^WRONG {2}proxy .*PATCH: a gateway answers 405/, /^WRONG {2}proxy .*DELETE: a gateway answers 405/],
  ],
  [
    'cached POST',
    `${FORWARDED} ${SOCKETS} ${LARGE} proxy_cache c; proxy_cache_methods GET HEAD POST; proxy_cache_key $uri;
     proxy_cache_valid any 5s; proxy_ignore_headers Cache-Control Expires Set-Cookie Vary;`,
    [/^WRONG {2}proxy .*answers POST from a cache/],
  ],
  [
    'answers of its own',
    `${FORWARDED} ${SOCKETS} ${LARGE} default_type application/json;
     if ($request_method = POST) { return 403 '{"error":"Forbidden"}'; }`,
    [/^WRONG {2}proxy .*POST: a gateway answers 403 in place of the server/],
  ],
]

const hasNginx = spawnSync('nginx', ['-v']).status === 0

describe.skipIf(!hasNginx)('the doctor on a proxy with', () => {
  const dir = temporaryDir('proxies')
  const dataDir = join(dir.path, 'data')
  const ports: number[] = []
  const servers = new Map<string, ServerProcess>()
  let nginx: ReturnType<typeof spawn>

  beforeAll(async () => {
    for (const trust of ['1', '2'])
      servers.set(
        trust,
        await startServer({
          dataDir: `${dataDir}-${trust}`,
          env: { TRUST_PROXY: trust, PUBLIC_URL: 'http://localhost' },
        }),
      )
    const blocks: string[] = []
    for (const [, directives, , variables] of PROXIES) {
      const port = await findFreePort()
      ports.push(port)
      const { origin } = servers.get(variables?.TRUST_PROXY ?? '1') as ServerProcess
      blocks.push(`server { listen 127.0.0.1:${port}; location / { proxy_http_version 1.1;
        proxy_set_header Host $http_host; ${directives} proxy_pass ${origin}; } }`)
    }
    const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    mkdirSync(join(dir.path, 'logs'))
    writeFileSync(
      join(dir.path, 'nginx.conf'),
      `${process.getuid?.() === 0 ? 'user root;' : ''} worker_processes 1; daemon off; pid ${dir.path}/pid; error_log stderr crit;
      events { worker_connections 256; }
      http {
        access_log off; proxy_cache_path ${dir.path}/cache keys_zone=c:1m;
        ${temporary.map((name) => `${name}_temp_path ${dir.path}/${name};`).join('\n')}
        ${blocks.join('\n')}
      }`,
    )
    nginx = spawn('nginx', ['-p', dir.path, '-c', join(dir.path, 'nginx.conf')], { stdio: 'inherit' })
    await vi.waitFor(
      async () => expect((await fetch(`http://127.0.0.1:${ports[0]}/readyz`)).status).toBe(200),
      20_000,
    )
  })
  afterAll(async () => {
    nginx.kill('SIGTERM')
    await once(nginx, 'exit')
    for (const server of servers.values()) await server.stop()
    dir.remove()
  })

  it.concurrent.each(PROXIES.map(([name, , lines, variables], index) => ({ name, lines, variables, index })))(
    '$name',
    async ({ lines, variables, index }) => {
      const trust = variables?.TRUST_PROXY ?? '1'
      const env = {
        ...CHILD_ENV,
        DATA_DIR: `${dataDir}-${trust}`,
        TRUST_PROXY: trust,
        PUBLIC_URL: `http://localhost:${ports[index]}`,
      }
      const argv = ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'doctor.ts')]
      const out = await new Promise<string>((resolve) => {
        execFile(process.execPath, argv, { env }, (_error, text) => resolve(text))
      })
      const found = out.split('\n').filter((line) => / {2}proxy {2,}/.test(line))
      expect(found).toEqual(lines.map((line) => expect.stringMatching(line)))
    },
  )
})
