import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Encoding = 'br' | 'gzip' | 'plain'

/** An answer as it went out once, without what was meant for its first reader alone. */
export interface KeptAnswer {
  /** The pattern of the route that gave it. */
  route: string
  /** Names and values in turns. */
  headers: string[]
  body: Buffer
}

/** Finds what was answered before at just this path and query, in the encoding that `accepted` asks for. */
export type FindKept = (address: string, accepted: string | string[] | undefined) => KeptAnswer | undefined

/** A finished body in every encoding it is worth having. */
export class KeptBody {
  /** Path and query at which it stands. Others may lead to it too. */
  readonly address: string
  readonly type: string
  /** Of the plain body; each encoding's adds its name. */
  readonly tag: string
  readonly plain: Buffer
  readonly gzip: Buffer | undefined
  readonly br: Buffer | undefined
  readonly #answers = new Map<Encoding, KeptAnswer>()

  constructor(body: { address: string; type: string; plain: Buffer; gzip?: Buffer; br?: Buffer }) {
    this.address = body.address
    this.type = body.type
    this.tag = createHash('sha256').update(body.plain).digest('base64url').slice(0, 22)
    this.plain = body.plain
    this.gzip = body.gzip
    this.br = body.br
  }

  /** What went out at its address before, in the encoding that was asked for. */
  answerFor(accepted: string | string[] | undefined): KeptAnswer | undefined {
    return this.#answers.get(chooseEncoding(accepted, this))
  }

  /** Keeps the answer as well, unless it went to another address: headers go by that. */
  keepAnswer(encoding: Encoding, request: FastifyRequest, reply: FastifyReply): void {
    if (request.url !== this.address || this.#answers.has(encoding)) return
    const headers = Object.entries(reply.getHeaders()).filter(([name]) => !CALLERS_HEADERS.has(name))
    this.#answers.set(encoding, {
      route: request.routeOptions.url ?? 'none',
      headers: headers.flatMap(([name, value]) => [name, String(value)]),
      body: this[encoding] ?? this.plain,
    })
  }
}

/** What tells of the caller, not of the body. */
const CALLERS_HEADERS = new Set(['ratelimit', 'ratelimit-policy', 'set-cookie'])

export const HTML = 'text/html; charset=utf-8'

/** A text in all encodings, compressed once for many. */
export async function keepText(address: string, type: string, text: string): Promise<KeptBody> {
  const plain = Buffer.from(text)
  const [zipped, br] = await Promise.all([
    promisify(gzip)(plain, { level: 9 }),
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } }),
  ])
  return new KeptBody({ address, type, plain, gzip: zipped, br })
}

/** Sends the encoding that the browser likes best, or 304 when it has that already. Only a 200 can be had already. */
export function sendKept(
  request: FastifyRequest,
  reply: FastifyReply,
  kept: KeptBody,
  status = 200,
): FastifyReply {
  reply.code(status)
  const encoding = chooseEncoding(request.headers['accept-encoding'], kept)
  if (kept.gzip || kept.br) reply.header('vary', 'accept-encoding')
  if (status === 200) {
    const etag = `"${kept.tag}${encoding === 'plain' ? '' : `-${encoding}`}"`
    reply.header('etag', etag)
    if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  }
  if (encoding !== 'plain') reply.header('content-encoding', encoding)
  const body = kept[encoding] ?? kept.plain
  reply.type(kept.type).header('content-length', body.length)
  if (status === 200) kept.keepAnswer(encoding, request, reply)
  return reply.send(body)
}

/** Brotli before gzip before nothing, as far as both sides have it; `q` only says no here. */
function chooseEncoding(
  accepted: string | string[] | undefined,
  kept: Pick<KeptBody, 'br' | 'gzip'>,
): Encoding {
  if (accepted === undefined) return 'plain'
  const offers = new Map<string, boolean>()
  for (const offer of String(accepted).toLowerCase().split(',')) {
    const [name = '', ...parameters] = offer.split(';').map((part) => part.trim())
    offers.set(name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
  }
  const takes = (name: string) => offers.get(name) ?? offers.get('*') ?? false
  if (kept.br && takes('br')) return 'br'
  if (kept.gzip && takes('gzip')) return 'gzip'
  return 'plain'
}

function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((known) => {
    const value = known.trim()
    return value === '*' || value.replace(/^W\//, '') === etag
  })
}
