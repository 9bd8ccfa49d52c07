import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { programFile } from '../../installation.ts'
import type { MailProblem, ParsedMail } from './parse-mail.ts'

const WORKER = programFile('mail/inbound/parse-worker.ts')
/** The largest mail takes a second. Processor time: on a busy or suspended machine a mail may take longer. */
const CPU_MAX_MS = 3_000
const LOOK_EVERY_MS = 100
const MEMORY_MAX_MB = 128

export type ParseMail = (
  raw: Uint8Array,
) => Promise<ParsedMail | { problem: MailProblem | 'too-slow' | 'too-much-memory' }>

/** Parses in a thread that ends with the mail, within bounds of processor time and memory. */
export async function parseInThread(raw: Uint8Array, cpuMaxMs = CPU_MAX_MS): ReturnType<ParseMail> {
  const worker = new Worker(WORKER, {
    workerData: raw,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB },
  })
  const end = new AbortController()
  let isTooSlow = false
  worker.once('exit', () => end.abort())
  const watch = setInterval(async () => {
    // It has ended.
    const used = await worker.cpuUsage().catch(() => null)
    if (used === null || used.user + used.system <= cpuMaxMs * 1_000) return
    isTooSlow = true
    end.abort()
  }, LOOK_EVERY_MS)
  try {
    const [parsed] = await once(worker, 'message', { signal: end.signal })
    return parsed as ParsedMail
  } catch (error) {
    if (isTooSlow) return { problem: 'too-slow' }
    const { code } = error as NodeJS.ErrnoException
    return { problem: code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too-much-memory' : 'malformed' }
  } finally {
    clearInterval(watch)
    await worker.terminate()
  }
}
