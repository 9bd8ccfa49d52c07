import { inThread, ThreadEnded } from '../../jobs/in-thread.ts'
import { headIn, type MailHead, type MailProblem, type ParsedMail, readHead } from './parse-mail.ts'

/** The largest mail takes a second. */
const BOUNDS = { cpuMaxMs: 3_000, memoryMaxMb: 128 }
/** Reading a head of this size takes ten milliseconds, and starting a thread takes longer. Most heads are smaller. */
const HEAD_AT_ONCE_BYTES = 8 * 1_024

/** The work that the thread is given. */
export interface MailWork {
  part: 'head' | 'mail'
  raw: Uint8Array
}

export type ParseMail = (
  raw: Uint8Array,
) => Promise<ParsedMail | { problem: MailProblem | ThreadEnded['reason'] }>

/** Runs `parseMail` in a thread that ends with the mail. */
export async function parseInThread(raw: Uint8Array, cpuMaxMs = BOUNDS.cpuMaxMs): ReturnType<ParseMail> {
  try {
    return await read({ part: 'mail', raw }, { ...BOUNDS, cpuMaxMs })
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error
    return { problem: error.reason === 'failed' ? 'malformed' : error.reason }
  }
}

/** Runs `readHead`, in a thread if the head is long. Resolves to null if the head cannot be read within the bounds. */
export async function readHeadInThread(raw: Uint8Array): Promise<MailHead | null> {
  const head = headIn(raw)
  if (head === null || head.length <= HEAD_AT_ONCE_BYTES) return head && readHead(head)
  try {
    // The head is copied, because a thread that is given a part of a buffer gets the whole buffer.
    return await read({ part: 'head', raw: new Uint8Array(head) }, BOUNDS)
  } catch (error) {
    if (!(error instanceof ThreadEnded)) throw error
    return null
  }
}

function read<Answer>(work: MailWork, bounds: typeof BOUNDS): Promise<Answer> {
  return inThread('mail/inbound/parse-worker.ts', work, bounds)
}
