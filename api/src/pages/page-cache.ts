import type { RenderResult } from '@proctorpass/shared/ssr'
import { type FindKept, HTML, type KeptBody, keepText } from '../http/cached-response.ts'

/** Some 60 MB at most; what goes beyond is rendered again when it is asked for. */
const KEPT_MAX = 1_000

interface Entry {
  page: Promise<FinishedPage>
  /** Once it is finished, and to be kept. */
  body: KeptBody | undefined
}

export type FinishedPage =
  | { kind: 'kept'; status: number; body: KeptBody }
  | { kind: 'once'; result: RenderResult }

/** Pages rendered once and kept, finished and compressed, the least recently asked for leaving first. */
export class KeptPages {
  readonly reads = { hits: 0, misses: 0 }
  readonly #pages = new Map<string, Entry>()
  readonly #notFoundKey: string

  /** The key of the one page with status 404 that is kept: it is the answer at any number of addresses. */
  constructor(notFoundKey: string) {
    this.#notFoundKey = notFoundKey
  }

  /** Requests at the same time share one rendering. Only what is well (200) is kept, and the page of `notFoundKey`. */
  get(key: string, render: () => Promise<RenderResult>): Promise<FinishedPage> {
    const known = this.#touch(key)
    if (known) {
      this.reads.hits += 1
      return known.page
    }
    this.reads.misses += 1

    const keptStatus = key === this.#notFoundKey ? 404 : 200
    const entry: Entry = { page: finish(key, keptStatus, render), body: undefined }
    this.#pages.set(key, entry)
    const forget = () => {
      if (this.#pages.get(key) === entry) this.#pages.delete(key)
    }
    entry.page.then((page) => {
      if (page.kind === 'kept') entry.body = page.body
      else forget()
    }, forget)
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= KEPT_MAX) break
      this.#pages.delete(oldest)
    }
    return entry.page
  }

  readonly find: FindKept = (key, accepted) => {
    const answer = this.#touch(key)?.body?.answerFor(accepted)
    if (answer) this.reads.hits += 1
    return answer
  }

  #touch(key: string): Entry | undefined {
    const entry = this.#pages.get(key)
    if (entry === undefined) return undefined
    this.#pages.delete(key)
    this.#pages.set(key, entry)
    return entry
  }

  drop(): void {
    this.#pages.clear()
  }
}

async function finish(
  key: string,
  keptStatus: number,
  render: () => Promise<RenderResult>,
): Promise<FinishedPage> {
  const result = await render()
  if (result.kind === 'text') {
    return { kind: 'kept', status: 200, body: await keepText(key, result.type, result.text) }
  }
  if (result.kind !== 'page' || result.status !== keptStatus) return { kind: 'once', result }
  return { kind: 'kept', status: keptStatus, body: await keepText(key, HTML, result.html) }
}
