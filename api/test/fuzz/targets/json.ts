import { ROUTE_ACCESS } from '../../../src/auth/access.ts'
import { checkError, checkLog, createAppWorlds } from '../app-world.ts'
import type { Target } from '../loop.ts'

/** Parts of an input that get a value which only its run knows. */
const ID = '0'.repeat(24)
const TOKEN = 'x'.repeat(43)

export const isJson = true
export const words = [
  ...Object.keys(ROUTE_ACCESS),
  ...[
    'json',
    'keyed',
    'framed',
    'form',
    'merge',
    'plain',
    ':clientId',
    ':id',
    ':site',
    ':token',
    ':slug',
    'NONCE',
    'CLIENT',
  ],
  ...[
    '?after=1',
    '&limit=200',
    '?epoch=x',
    '%00',
    '%2e%2e%2f',
    '%ff',
    '?state=draft',
    '?page=1',
    '?q=',
    'application/json',
  ],
]

const TYPES: Record<string, string> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  merge: 'application/merge-patch+json; charset=utf-16',
  plain: 'text/plain',
  csp: 'application/csp-report',
}

/**
 * The first line has the method, the path, and words that say which headers are sent. The rest is the body. `CLIENT`
 * and `NONCE` stand for ids.
 */
export async function open(): Promise<Target> {
  const worlds = createAppWorlds()
  return {
    beforeRun: worlds.beforeRun,
    async run(input) {
      const { test, stranger } = worlds.world
      const values: Record<string, string> = {
        ...{ clientId: stranger.clientIds[0] ?? '', site: stranger.site, slug: stranger.slug, token: TOKEN },
      }
      const filled = input
        .toString('latin1')
        .replaceAll('CLIENT', stranger.clientIds[worlds.run % stranger.clientIds.length] ?? '')
        .replaceAll('NONCE', `nonce${String(worlds.run).padStart(15, '0')}`)
      const [head = '', ...lines] = filled.split('\n')
      const [method = '', path = '', ...flags] = head.split(' ')
      const url = path
        .replace('{api}', '/api')
        .replace(/:(\w+)/g, (_whole, name: string) => values[name] ?? ID)
        .replace(/[^!-~]/g, encodeURIComponent)
      if (!/^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)$/.test(method) || !isUrl(url)) return undefined
      const type = TYPES[flags.find((flag) => flag in TYPES) ?? '']
      const body = lines.join('\n')
      const answer = await test.app.inject({
        ...{ method: method as 'GET', url },
        headers: {
          ...(type === undefined ? {} : { 'content-type': type }),
          ...(flags.includes('keyed') ? { authorization: `Visitor ${stranger.key}` } : {}),
          ...(flags.includes('framed') ? { 'sec-fetch-site': 'same-origin' } : {}),
        },
        ...(body === '' ? {} : { payload: Buffer.from(body, 'latin1') }),
      })
      const { statusCode, headers } = answer
      if (statusCode >= 500) throw new Error(`${method} ${url}: ${statusCode} ${answer.body}`)
      checkLog(test)
      if (!String(headers['content-type']).startsWith('application/json'))
        return [`${routeOf(method, url)} ${statusCode}`]
      const found = answer.body === '' ? null : answer.json()
      if (statusCode >= 400 && method !== 'HEAD') checkError(found)
      return [`${routeOf(method, url)} ${statusCode} ${found?.code} ${found?.details?.[0]?.message}`]
    },
    close: worlds.close,
  }
}

/** What the client of these tests can send. */
function isUrl(url: string): boolean {
  return url.startsWith('/') && !url.startsWith('//') && URL.canParse(url, 'http://localhost')
}

const ROUTES = Object.keys(ROUTE_ACCESS).map((row) => {
  const form = row
    .replace('{api}', '/api')
    .replaceAll('.', '\\.')
    .replace('*', '.*')
    .replace(/:\w+/g, '[^/]+')
  return { row, form: new RegExp(`^${form}$`) }
})

function routeOf(method: string, url: string): string | undefined {
  const [path = ''] = url.split(/[?#]/)
  return ROUTES.find(({ form }) => form.test(`${method} ${path}`))?.row
}
