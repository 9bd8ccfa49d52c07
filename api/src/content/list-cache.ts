import { PER_PAGE_DEFAULT } from '@proctorpass/shared/limits'
import type { ListQuery } from '@proctorpass/shared/schemas/list'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type FindKept, KeptBody, sendKept } from '../http/cached-response.ts'
import { showLimit } from '../http/rate-limits.ts'
import { LIST_READ_POINTS, type Limits } from '../limits/limits.ts'

/** What the site's own pages ask for. Whoever asks for other sizes is answered, but fills no memory. */
const OWN_SIZES = new Set([1, 4, 7, PER_PAGE_DEFAULT])
const KEPT_MAX = 1_000

/**
 * Answers of the public lists, kept as finished JSON until content changes: all readers ask for the same few pages, and
 * reading and serialising one takes several times as long as sending it.
 */
export class KeptLists {
  readonly reads = { hits: 0, misses: 0 }
  /** By path and query, as the site's own pages write them. */
  readonly #kept = new Map<string, KeptBody>()
  /** Changes with the content: what was read before is not kept after. */
  #edition = 0
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** `read` gives the answer; one with a `message` is empty and not kept, for there are endlessly many of those. */
  async send(
    request: FastifyRequest,
    reply: FastifyReply,
    { page = 1, perPage = PER_PAGE_DEFAULT }: ListQuery,
    read: () => Promise<{ message?: string }>,
  ): Promise<FastifyReply> {
    reply.header('cache-control', 'no-cache')
    const address = `${request.routeOptions.url}?page=${page}&perPage=${perPage}`
    const known = this.#kept.get(address)
    if (known) {
      this.reads.hits += 1
      return sendKept(request, reply, known)
    }
    this.reads.misses += 1
    showLimit(reply, 'address', await this.#limits.charge('address', request.ip, LIST_READ_POINTS))

    const edition = this.#edition
    const list = await read()
    if (!OWN_SIZES.has(perPage) || list.message !== undefined) return reply.send(list)
    const plain = Buffer.from(JSON.stringify(list))
    const body = new KeptBody({ address, type: 'application/json; charset=utf-8', plain })
    if (edition === this.#edition && this.#kept.size < KEPT_MAX) this.#kept.set(address, body)
    return sendKept(request, reply, body)
  }

  readonly find: FindKept = (address, accepted) => {
    const answer = this.#kept.get(address)?.answerFor(accepted)
    if (answer) this.reads.hits += 1
    return answer
  }

  drop(): void {
    this.#edition += 1
    this.#kept.clear()
  }
}
