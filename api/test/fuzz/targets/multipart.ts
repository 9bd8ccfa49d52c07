import { Readable } from 'node:stream'
import { checkError, checkLog, createAppWorlds } from '../app-world.ts'
import type { Target } from '../loop.ts'

export const words = [
  ...[
    'files',
    'uploads',
    'face',
    'blogs',
    'multipart/form-data; boundary=x',
    'boundary="x y"',
    '--x\r\n',
    '\r\n--x--\r\n',
  ],
  ...[
    'Content-Disposition: form-data; name="file"; filename="a.png"\r\n',
    'Content-Disposition: form-data; name="nonce"\r\n',
  ],
  ...[
    'Content-Type: image/png\r\n',
    'Content-Type: application/pdf\r\n',
    'Content-Transfer-Encoding: base64\r\n',
    '\r\n\r\n',
  ],
  ...[
    "filename*=UTF-8''%e4",
    'filename="\\"',
    'name="__proto__"',
    'name=""',
    'name="title"',
    'name="content"',
    'NONCE',
  ],
  ...[
    '%PDF-1.4\n%%EOF',
    '\x89PNG\r\n\x1a\n',
    '%0D%22',
    '; charset=utf-16',
    'Content-Type: multipart/mixed; boundary=y\r\n',
  ],
]

const ROUTES: Record<string, { method: 'POST' | 'PUT'; path: string }> = {
  uploads: { method: 'POST', path: '/api/uploads' },
  face: { method: 'PUT', path: '/api/account/face' },
  blogs: { method: 'POST', path: '/api/blogs' },
}

/**
 * The first line has a route and the content type, and the rest is the body, which arrives in pieces. Visitors send
 * files; the other forms come from admins, whose browser another website may have steered.
 */
export async function open(): Promise<Target> {
  const worlds = createAppWorlds()
  return {
    beforeRun: worlds.beforeRun,
    async run(input) {
      const { test, stranger, bearer } = worlds.world
      const text = input.toString('latin1')
      const [head = ''] = text.split('\n', 1)
      const [, route = '', type = ''] = /^(\w*) ?([\x20-\x7e]*)/.exec(head) ?? []
      const clientId = stranger.clientIds[worlds.run % stranger.clientIds.length]
      const { method, path } = ROUTES[route] ?? { method: 'POST', path: `/api/chat/${clientId}/files` }
      const body = Buffer.from(
        text.slice(head.length + 1).replaceAll('NONCE', `nonce${String(worlds.run).padStart(15, '0')}`),
        'latin1',
      )
      const answer = await test.app.inject({
        ...{ method, url: path, payload: Readable.from(piecesOf(body)) },
        headers: {
          'content-type': type || 'multipart/form-data; boundary=x',
          'content-length': body.length,
          ...(route in ROUTES ? bearer : { authorization: `Visitor ${stranger.key}` }),
        },
      })
      const { statusCode } = answer
      // The conversations' files fill up, and a full store is no error.
      if (statusCode >= 500 && answer.json().code !== 'storage-full')
        throw new Error(`${path}: ${statusCode} ${answer.body}`)
      checkLog(test)
      const found = answer.body === '' ? null : answer.json()
      if (statusCode >= 400) checkError(found)
      return [`${path.slice(0, 9)} ${statusCode} ${found?.code} ${found?.details?.[0]?.message}`]
    },
    close: worlds.close,
  }
}

/** Cuts the body where its own bytes say, so that the same input has the same pieces. */
function piecesOf(body: Buffer): Buffer[] {
  const pieces: Buffer[] = []
  for (let at = 0; at < body.length; ) {
    const size = 1 + ((body[at] ?? 0) % 97) * (1 + ((body[at + 1] ?? 0) % 7))
    pieces.push(body.subarray(at, at + size))
    at += size
  }
  return pieces
}
