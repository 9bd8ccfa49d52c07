import type { RenderResult } from '@proctorpass/shared/ssr'
import { HTML, type KeptBody, keepText } from './kept-body.ts'

/** Some 60 MB at most; what goes beyond is rendered again when it is asked for. */
const KEPT_MAX = 1_000

export type FinishedPage = { kind: 'kept'; body: KeptBody } | { kind: 'once'; result: RenderResult }

/** Pages rendered once and kept, finished and compressed, the least recently asked for leaving first. */
export class KeptPages {
  readonly reads = { hits: 0, misses: 0 }
  readonly #pages = new Map<string, Promise<FinishedPage>>()

  /** Requests at the same time share one rendering. Only what is well (200) is kept. */
  get(key: string, render: () => Promise<RenderResult>): Promise<FinishedPage> {
    const known = this.#pages.get(key)
    this.#pages.delete(key)
    const page = known ?? finish(render)
    this.#pages.set(key, page)
    if (known) {
      this.reads.hits += 1
      return page
    }
    this.reads.misses += 1

    const forget = () => {
      if (this.#pages.get(key) === page) this.#pages.delete(key)
    }
    page.then(({ kind }) => {
      if (kind === 'once') forget()
    }, forget)
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= KEPT_MAX) break
      this.#pages.delete(oldest)
    }
    return page
  }

  drop(): void {
    this.#pages.clear()
  }
}

async function finish(render: () => Promise<RenderResult>): Promise<FinishedPage> {
  const result = await render()
  if (result.kind === 'text') return { kind: 'kept', body: await keepText(result.type, result.text) }
  if (result.kind !== 'page' || result.status !== 200) return { kind: 'once', result }
  return { kind: 'kept', body: await keepText(HTML, result.html) }
}
