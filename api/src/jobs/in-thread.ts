import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { programFile } from '../installation.ts'

const LOOK_EVERY_MS = 100

/** Thrown when a thread ended without an answer. */
export class ThreadEnded extends Error {
  readonly reason: 'too-slow' | 'too-much-memory' | 'failed'

  constructor(reason: ThreadEnded['reason'], cause: unknown) {
    super(`The thread ended: ${reason}`, { cause })
    this.reason = reason
  }
}

interface ThreadBounds {
  /** Processor time. The thread may take longer on a busy or suspended machine. */
  cpuMaxMs: number
  memoryMaxMb: number
}

/**
 * Runs a program in its own thread and returns the program's first message, after which the thread ends. `source` is a
 * path below `src`, see `programFile`. Throws a ThreadEnded.
 * @see docs/decisions/0108-long-work-in-threads.md
 */
export async function inThread<Answer>(
  source: string,
  workerData: unknown,
  { cpuMaxMs, memoryMaxMb }: ThreadBounds,
): Promise<Answer> {
  const worker = new Worker(programFile(source), {
    workerData,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: memoryMaxMb },
  })
  const end = new AbortController()
  let isTooSlow = false
  worker.once('exit', () => end.abort())
  const watch = setInterval(async () => {
    // The call rejects if the thread has ended.
    const used = await worker.cpuUsage().catch(() => null)
    if (used === null || used.user + used.system <= cpuMaxMs * 1_000) return
    isTooSlow = true
    end.abort()
  }, LOOK_EVERY_MS)
  try {
    const [answer] = await once(worker, 'message', { signal: end.signal })
    return answer as Answer
  } catch (error) {
    if (isTooSlow) throw new ThreadEnded('too-slow', error)
    const { code } = error as NodeJS.ErrnoException
    throw new ThreadEnded(code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too-much-memory' : 'failed', error)
  } finally {
    clearInterval(watch)
    await worker.terminate()
  }
}
