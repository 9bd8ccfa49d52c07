import { createHash } from 'node:crypto'
import { type AppError, fieldError } from '@proctorpass/shared/errors'
import { inThread, ThreadEnded } from '../jobs/in-thread.ts'
import { createSemaphore } from '../limits/semaphore.ts'
import type { CleanPost } from './post-html.ts'

/** The work that the thread is given. */
export interface PostWork {
  html: string
  ownOrigin: string
}

/** A hostile post of this length takes ten milliseconds. */
const AT_ONCE_MAX = 16 * 1_024
/** The largest post takes half a second. */
const BOUNDS = { cpuMaxMs: 5_000, memoryMaxMb: 256 }
/** Characters of long posts that the cache may hold. */
const CACHE_MAX = 2 * 1_024 * 1_024
/** Characters that an entry of the cache counts in addition to its text. */
const CACHE_ENTRY = 1_024

/** Throws an AppError `too-large`, and `unavailable` while too many long posts wait. */
export type PostCleaner = (html: string) => Promise<CleanPost>

/** Makes `cleanPost` with a cache for long posts, which it cleans in a thread, one at a time. */
export function createPostCleaner(ownOrigin: string): PostCleaner {
  const inTurn = createSemaphore({
    ...{ atOnce: 1, waitingMax: 100 },
    refusal: 'Too many long posts are being read. Try again in a moment.',
  })
  /** Results by the hash of the text that was cleaned, the latest last. A null `html` means that the text was clean. */
  const cache = new Map<
    string,
    { cleaning: Promise<Omit<CleanPost, 'html'> & { html: string | null }>; size: number }
  >()
  let cacheSize = 0

  async function begin(html: string) {
    const clean = await inTurn(() => cleanInThread({ html, ownOrigin }))
    return { ...clean, html: clean.html === html ? null : clean.html }
  }

  function forget(hash: string): void {
    cacheSize -= cache.get(hash)?.size ?? 0
    cache.delete(hash)
  }

  async function cleanLong(html: string): Promise<CleanPost> {
    const hash = createHash('sha256').update(html).digest('base64url')
    const entry = cache.get(hash) ?? { cleaning: begin(html), size: 0 }
    cache.delete(hash)
    cache.set(hash, entry)
    try {
      const clean = await entry.cleaning
      if (entry.size === 0 && cache.get(hash) === entry) {
        entry.size = CACHE_ENTRY + (clean.html?.length ?? 0)
        cacheSize += entry.size
        for (const oldest of cache.keys()) if (cacheSize > CACHE_MAX) forget(oldest)
      }
      return { ...clean, html: clean.html ?? html }
    } catch (error) {
      if (cache.get(hash) === entry) forget(hash)
      throw error
    }
  }

  return async (html) => {
    if (html.length > AT_ONCE_MAX) return cleanLong(html)
    // The parsers are loaded with the first post that is shown or written, because a start does not need them.
    const { cleanPost } = await import('./post-html.ts')
    return cleanPost(html, ownOrigin)
  }
}

async function cleanInThread(work: PostWork): Promise<CleanPost> {
  try {
    const answer = await inThread<CleanPost | { refusal: string }>('content/post-worker.ts', work, BOUNDS)
    if ('refusal' in answer) throw tooLarge(answer.refusal)
    return answer
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error
    throw tooLarge(
      'The server takes too long to read this post. Shorten it, or split it into two posts.',
      error,
    )
  }
}

function tooLarge(message: string, cause?: unknown): AppError {
  return fieldError('content', message, { code: 'too-large', cause })
}
