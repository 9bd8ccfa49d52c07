import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { programFile } from '../../installation.ts'
import type { MailProblem, ParsedMail } from './parse-mail.ts'

const WORKER = programFile('mail/inbound/parse-worker.ts')
/** The largest mail takes a second. */
const PARSE_WITHIN_MS = 20_000
const MEMORY_MAX_MB = 512

export type ParseMail = (
  raw: Uint8Array,
) => Promise<ParsedMail | { problem: MailProblem | 'too-slow' | 'too-much-memory' }>

/** Parses in a thread that ends with the mail, within bounds of time and memory. */
export async function parseInThread(raw: Uint8Array, withinMs = PARSE_WITHIN_MS): ReturnType<ParseMail> {
  const worker = new Worker(WORKER, {
    workerData: raw,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MAX_MB },
  })
  try {
    const [parsed] = await once(worker, 'message', { signal: AbortSignal.timeout(withinMs) })
    return parsed as ParsedMail
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ABORT_ERR') return { problem: 'too-slow' }
    return { problem: code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'too-much-memory' : 'malformed' }
  } finally {
    await worker.terminate()
  }
}
