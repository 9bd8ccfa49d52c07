import type { RenderResult } from '@proctorpass/shared/ssr'
import { type CachedResponse, compressText, type FindSentResponse, HTML } from '../http/cached-response.ts'

/** This many pages take about 60 MB at most. */
const PAGES_MAX = 1_000

interface Entry {
  page: Promise<FinishedPage>
  /** Set once the page is rendered and cacheable. */
  cached: CachedResponse | undefined
}

export type FinishedPage =
  | { kind: 'cached'; status: number; response: CachedResponse }
  | { kind: 'uncached'; result: RenderResult }

/**
 * Holds rendered and compressed pages in memory, and evicts the least recently used first.
 * @see docs/decisions/0010-pages-in-memory.md
 */
export class PageCache {
  readonly reads = { hits: 0, misses: 0 }
  readonly #pages = new Map<string, Entry>()
  readonly #notFoundKeys: readonly string[]

  /**
   * `notFoundKeys` are the only pages with status 404 that are cached. Each of them answers any number of addresses.
   */
  constructor(notFoundKeys: readonly string[]) {
    this.#notFoundKeys = notFoundKeys
  }

  has(key: string): boolean {
    return this.#pages.has(key)
  }

  /** Concurrent requests share one render. */
  get(key: string, render: () => Promise<RenderResult>): Promise<FinishedPage> {
    const known = this.#touch(key)
    if (known) {
      this.reads.hits += 1
      return known.page
    }
    this.reads.misses += 1

    const cacheableStatus = this.#notFoundKeys.includes(key) ? 404 : 200
    const entry: Entry = { page: finish(key, cacheableStatus, render), cached: undefined }
    this.#pages.set(key, entry)
    const remove = () => {
      if (this.#pages.get(key) === entry) this.#pages.delete(key)
    }
    entry.page.then((page) => {
      if (page.kind === 'cached') entry.cached = page.response
      else remove()
    }, remove)
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= PAGES_MAX) break
      this.#pages.delete(oldest)
    }
    return entry.page
  }

  readonly find: FindSentResponse = (key, accepted) => {
    const sent = this.#touch(key)?.cached?.sentResponse(accepted)
    if (sent) this.reads.hits += 1
    return sent
  }

  #touch(key: string): Entry | undefined {
    const entry = this.#pages.get(key)
    if (entry === undefined) return undefined
    this.#pages.delete(key)
    this.#pages.set(key, entry)
    return entry
  }

  clear(): void {
    this.#pages.clear()
  }
}

async function finish(
  key: string,
  cacheableStatus: number,
  render: () => Promise<RenderResult>,
): Promise<FinishedPage> {
  const result = await render()
  if (result.kind === 'text') {
    return { kind: 'cached', status: 200, response: await compressText(key, result.type, result.text) }
  }
  if (result.kind !== 'page' || result.status !== cacheableStatus || result.isPrivate) {
    return { kind: 'uncached', result }
  }
  return { kind: 'cached', status: cacheableStatus, response: await compressText(key, HTML, result.html) }
}
