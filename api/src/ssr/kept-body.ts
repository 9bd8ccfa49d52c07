import { createHash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

/** A finished answer in every encoding it is worth having. */
export interface KeptBody {
  type: string
  /** Of the plain body; each encoding's adds its name. */
  tag: string
  plain: Buffer
  gzip?: Buffer | undefined
  br?: Buffer | undefined
}

export function tagOf(content: Buffer): string {
  return createHash('sha256').update(content).digest('base64url').slice(0, 22)
}

export const HTML = 'text/html; charset=utf-8'

/** A text in all encodings, compressed once for many. */
export async function keepText(type: string, text: string): Promise<KeptBody> {
  const plain = Buffer.from(text)
  const [zipped, br] = await Promise.all([
    promisify(gzip)(plain, { level: 9 }),
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: plain.length } }),
  ])
  return { type, tag: tagOf(plain), plain, gzip: zipped, br }
}

/** Sends the encoding that the browser likes best, or 304 when it has that already. */
export function sendKept(request: FastifyRequest, reply: FastifyReply, kept: KeptBody): FastifyReply {
  const encoding = chooseEncoding(request.headers['accept-encoding'], kept)
  const etag = `"${kept.tag}${encoding === 'plain' ? '' : `-${encoding}`}"`
  reply.header('etag', etag)
  if (kept.gzip || kept.br) reply.header('vary', 'accept-encoding')
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).send()
  if (encoding !== 'plain') reply.header('content-encoding', encoding)
  return reply.type(kept.type).send(kept[encoding])
}

/** Brotli before gzip before nothing, as far as both sides have it; `q` only says no here. */
function chooseEncoding(
  accepted: string | string[] | undefined,
  kept: Pick<KeptBody, 'br' | 'gzip'>,
): 'br' | 'gzip' | 'plain' {
  const offers = new Map<string, boolean>()
  for (const offer of String(accepted ?? '')
    .toLowerCase()
    .split(',')) {
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
