import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gunzipSync, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

type Encoding = 'br' | 'gzip' | 'plain'

/** A 200 answer as it was sent, without per-client headers. */
export interface SentResponse {
  /** The pattern of the answer's route. */
  route: string
  /** Names and values alternate, as `writeHead` takes them. */
  headers: string[]
  body: Buffer
}

/** Finds the answer that was sent earlier at exactly this path and query, in the encoding that `accepted` asks for. */
export type FindSentResponse = (
  address: string,
  accepted: string | string[] | undefined,
) => SentResponse | undefined

/** A finished body in each encoding that is worth storing, and the answers that were sent with it. */
export class CachedResponse {
  /** The canonical path and query. Other addresses may answer with the same body. */
  readonly address: string
  readonly type: string
  /** The ETag of the plain body. Other encodings append their name. */
  readonly tag: string
  readonly gzip: Buffer | undefined
  readonly br: Buffer | undefined
  #plain: Buffer | undefined
  readonly #sent = new Map<Encoding, SentResponse>()

  /** Without `plain`, the plain body is unpacked from `gzip` for the first client that accepts nothing else. */
  constructor(
    body: { address: string; type: string; br?: Buffer | undefined } & (
      | { plain: Buffer; gzip?: Buffer }
      | { plain?: undefined; gzip: Buffer }
    ),
  ) {
    this.address = body.address
    this.type = body.type
    this.tag = createHash('sha256')
      .update(body.plain ?? body.gzip)
      .digest('base64url')
      .slice(0, 22)
    this.#plain = body.plain
    this.gzip = body.gzip
    this.br = body.br
  }

  get plain(): Buffer {
    this.#plain ??= gunzipSync(this.gzip as Buffer)
    return this.#plain
  }

  sentResponse(accepted: string | string[] | undefined): SentResponse | undefined {
    return this.#sent.get(chooseEncoding(accepted, this))
  }

  /**
   * Records an answer at the canonical address. Other addresses may have other headers, because headers depend on the
   * path.
   */
  recordSent(encoding: Encoding, request: FastifyRequest, reply: FastifyReply): void {
    if (request.url !== this.address || this.#sent.has(encoding)) return
    const headers = Object.entries(reply.getHeaders()).filter(([name]) => !CLIENT_HEADERS.has(name))
    this.#sent.set(encoding, {
      route: request.routeOptions.url ?? 'none',
      headers: headers.flatMap(([name, value]) => [name, String(value)]),
      body: this[encoding] ?? this.plain,
    })
  }
}

/** Per-client headers, which are never cached. */
const CLIENT_HEADERS = new Set(['ratelimit', 'ratelimit-policy', 'set-cookie'])

export const HTML = 'text/html; charset=utf-8'

export async function compressText(address: string, type: string, text: string): Promise<CachedResponse> {
  const plain = Buffer.from(text)
  const [zipped, br] = await Promise.all([
    promisify(gzip)(plain, { level: 9 }),
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } }),
  ])
  return new CachedResponse({ address, type, plain, gzip: zipped, br })
}

/** Sends the preferred encoding, or 304 if `If-None-Match` has its ETag. Only a 200 has an ETag. */
export function sendCached(
  request: FastifyRequest,
  reply: FastifyReply,
  cached: CachedResponse,
  status = 200,
): FastifyReply {
  reply.code(status)
  const encoding = chooseEncoding(request.headers['accept-encoding'], cached)
  if (cached.gzip || cached.br) reply.header('vary', 'accept-encoding')
  if (status === 200) {
    const etag = `"${cached.tag}${encoding === 'plain' ? '' : `-${encoding}`}"`
    reply.header('etag', etag)
    if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
  }
  if (encoding !== 'plain') reply.header('content-encoding', encoding)
  const body = cached[encoding] ?? cached.plain
  reply.type(cached.type).header('content-length', body.length)
  if (status === 200) cached.recordSent(encoding, request, reply)
  return reply.send(body)
}

/** Prefers Brotli, then gzip, then plain. Every `q` value except 0 counts as 1. */
function chooseEncoding(
  accepted: string | string[] | undefined,
  cached: Pick<CachedResponse, 'br' | 'gzip'>,
): Encoding {
  if (accepted === undefined) return 'plain'
  const offers = new Map<string, boolean>()
  for (const offer of String(accepted).toLowerCase().split(',')) {
    const [name = '', ...parameters] = offer.split(';').map((part) => part.trim())
    offers.set(name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter)))
  }
  const isAccepted = (name: string) => offers.get(name) ?? offers.get('*') ?? false
  if (cached.br && isAccepted('br')) return 'br'
  if (cached.gzip && isAccepted('gzip')) return 'gzip'
  return 'plain'
}

export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false
  return ifNoneMatch.split(',').some((entry) => {
    const value = entry.trim()
    return value === '*' || value.replace(/^W\//, '') === etag
  })
}
