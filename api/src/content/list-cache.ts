import { PER_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import type { ListQuery } from '@proctorpass/shared/schemas/list'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { CachedResponse, compressText, type FindSentResponse, sendCached } from '../http/cached-response.ts'
import { showLimit } from '../http/rate-limits.ts'
import { LIST_READ_POINTS, type Limits } from '../limits/limits.ts'

/** Page sizes of the site's own pages. Other sizes are answered but not cached. */
const CACHED_SIZES = new Set([1, 4, 7, PER_PAGE_DEFAULT])
const LISTS_MAX = 1_000
/** Longer answers are not cached, so that all of them take 64 MB at most. */
const BYTES_MAX = 64 * 1_024
const JSON_TYPE = 'application/json; charset=utf-8'

/**
 * Caches public lists as finished JSON, because reading and serializing one takes several times as long as sending it.
 */
export class ListCache {
  readonly reads = { hits: 0, misses: 0 }
  /** The answers by canonical path and query. */
  readonly #lists = new Map<string, CachedResponse>()
  /** Advances on `clear`, so that a list that was read before is not cached after it. */
  #generation = 0
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** Sends a list. A list with a `message` is empty and not cached, because there are endlessly many such pages. */
  send<List extends object>(
    request: FastifyRequest,
    reply: FastifyReply,
    { page = 1, perPage = PER_PAGE_DEFAULT }: ListQuery,
    read: () => Promise<List & { message?: string }>,
  ): Promise<FastifyReply> {
    const address = `${request.routeOptions.url}?page=${page}&perPage=${perPage}`
    return this.#send(request, reply, address, read, async (list) => {
      if (!CACHED_SIZES.has(perPage) || list.message !== undefined) return null
      return new CachedResponse({ address, type: JSON_TYPE, plain: Buffer.from(JSON.stringify(list)) })
    })
  }

  /** Sends, compressed, an answer that depends on nothing but `address`, its canonical path and query. */
  sendAs(
    request: FastifyRequest,
    reply: FastifyReply,
    address: string,
    read: () => Promise<object>,
    bytesMax = BYTES_MAX,
  ): Promise<FastifyReply> {
    return this.#send(request, reply, address, read, async (answer) => {
      const json = JSON.stringify(answer)
      return Buffer.byteLength(json) > bytesMax ? null : compressText(address, JSON_TYPE, json)
    })
  }

  /** `finish` resolves to null for an answer that is not cached. */
  async #send<Answer extends object>(
    request: FastifyRequest,
    reply: FastifyReply,
    address: string,
    read: () => Promise<Answer>,
    finish: (answer: Answer) => Promise<CachedResponse | null>,
  ): Promise<FastifyReply> {
    reply.header('cache-control', 'no-cache')
    const cached = this.#lists.get(address)
    if (cached) {
      this.reads.hits += 1
      return sendCached(request, reply, cached)
    }
    this.reads.misses += 1
    showLimit(reply, 'address', await this.#limits.charge('address', request.ip, LIST_READ_POINTS))

    const generation = this.#generation
    const answer = await read()
    const response = await finish(answer)
    if (response === null) return reply.send(answer)
    if (generation === this.#generation && this.#lists.size < LISTS_MAX) this.#lists.set(address, response)
    return sendCached(request, reply, response)
  }

  readonly find: FindSentResponse = (address, accepted) => {
    const sent = this.#lists.get(address)?.sentResponse(accepted)
    if (sent) this.reads.hits += 1
    return sent
  }

  /** The number of times that the cache was cleared. */
  get clears(): number {
    return this.#generation
  }

  clear(): void {
    this.#generation += 1
    this.#lists.clear()
  }
}
