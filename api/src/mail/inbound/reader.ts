import { setTimeout as pause } from 'node:timers/promises'
import { AppError } from '@proctorpass/shared/errors'
import { ImapFlow } from 'imapflow'
import type { InboundSettings } from '../../env/inbound-settings.ts'
import { type Lease, LeaseLost } from './lease.ts'
import { REMEMBERED_MS, type TakeMail } from './mail-in.ts'

const MAIL_BYTES_MAX = 25 * 1024 * 1024
/** How often to look for mail in case the server reports none. */
const LOOK_EVERY_MS = 30_000
const RENEW_EVERY_MS = 10_000
/** How often a standby node checks whether it may read. */
const STANDBY_MS = 5_000
const PAUSE_MAX_MS = 60_000
const CONNECT_WITHIN_MS = 20_000

interface ReaderLog {
  info(context: object, message: string): void
  warn(context: object, message: string): void
  error(context: object, message: string): void
}

interface ReaderDeps {
  settings: InboundSettings
  lease: Lease
  take: TakeMail
  log: ReaderLog
  now: () => number
}

/** Reads the mailbox forever, on one node at a time. A connection that ends is replaced after growing pauses. */
export function createReader({ settings, lease, take, log, now }: ReaderDeps) {
  const stop = new AbortController()
  const { signal } = stop
  let state: 'standby' | 'connected' | 'away' = 'standby'
  let running = Promise.resolve()

  function enter(next: typeof state, context: object = {}): void {
    if (state === next) return
    state = next
    if (next === 'away') log.warn(context, 'mailbox away')
    else log.info(context, next === 'connected' ? 'mailbox connected' : 'mailbox read by another node')
  }

  const rest = (ms: number) => pause(ms, undefined, { signal }).catch(() => {})

  async function run(): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      const mayRead = await lease.take().catch(() => null)
      if (mayRead !== true) {
        // The store's own calls log its outage.
        if (mayRead === false) enter('standby')
        await rest(STANDBY_MS)
        continue
      }
      const reached = { connected: false }
      const problem = await readMailbox(reached).catch((error: unknown) => error)
      if (signal.aborted) return
      if (problem instanceof LeaseLost) continue
      enter('away', { reason: reasonOf(problem) })
      failures = reached.connected ? 1 : failures + 1
      const ms = Math.min(1_000 * 2 ** (failures - 1), PAUSE_MAX_MS)
      await rest(ms)
    }
  }

  /** Resolves or rejects when the connection ends. */
  async function readMailbox(reached: { connected: boolean }): Promise<unknown> {
    const client = clientOf(settings)
    const wake = createWake()
    let problem: unknown = null
    client.on('error', (error: unknown) => {
      problem ??= error
    })
    client.on('exists', wake.now)
    client.on('close', wake.now)
    const closeNow = () => client.close()
    signal.addEventListener('abort', closeNow)
    const renewal = setInterval(async () => {
      const isOurs = await lease.take().catch(() => null)
      if (isOurs !== false) return
      problem = new LeaseLost()
      client.close()
    }, RENEW_EVERY_MS)
    try {
      await client.connect()
      await client.mailboxOpen(settings.mailbox)
      reached.connected = true
      enter('connected')
      while (client.usable && !signal.aborted) {
        wake.forget()
        await readNew(client)
        // The next command ends IDLE. Without IDLE the server would report nothing for 15 s.
        client.idle().catch(() => {})
        await wake.wait(LOOK_EVERY_MS)
      }
      return problem
    } catch (error) {
      throw problem ?? error
    } finally {
      clearInterval(renewal)
      signal.removeEventListener('abort', closeNow)
      client.close()
    }
  }

  async function readNew(client: ImapFlow): Promise<void> {
    const { mailbox } = client
    if (mailbox === false) return
    const uidValidity = String(mailbox.uidValidity)
    const before = lease.position
    const from = before?.uidValidity === uidValidity ? before.uid : 0
    const mails: { uid: number; size: number; at: number; isSeen: boolean }[] = []
    const fields = { uid: true, size: true, internalDate: true, flags: true }
    for await (const found of client.fetch(`${from + 1}:*`, fields, { uid: true })) {
      const at = found.internalDate === undefined ? now() : new Date(found.internalDate).getTime()
      const isSeen = found.flags?.has('\\Seen') ?? false
      // If there is no new mail, the server returns the last mail again.
      if (found.uid > from) mails.push({ uid: found.uid, size: found.size ?? 0, at, isSeen })
    }
    mails.sort((a, b) => a.uid - b.uid)
    const last = mails.at(-1)?.uid ?? from
    if (before?.uidValidity !== uidValidity) {
      // The position moves before the first mail is taken, so that a reading that breaks off continues by the same
      // rule.
      await lease.move({ uidValidity, uid: 0, stood: { uid: last, isFirst: before === null } })
    }
    const { stood } = lease.position ?? {}
    const position = (uid: number) => ({ uidValidity, uid, ...(stood && { stood }) })
    for (const { uid, size, at, isSeen } of mails) {
      if (signal.aborted) return
      if (stood !== undefined && uid <= stood.uid) {
        // Skips mail that a person had read before the mailbox was first read here, and mail that the store may no
        // longer remember.
        const isOld = stood.isFirst ? isSeen : at < now() - REMEMBERED_MS / 2
        if (isOld) continue
      }
      await readOne(client, { uid, size, at })
      // The flag is set before the position moves, because the reader never returns to a mail before its position.
      await client.messageFlagsAdd(String(uid), ['\\Seen'], { uid: true })
      if (!client.usable) return
      await lease.move(position(uid))
    }
    if (last > (lease.position?.uid ?? 0)) await lease.move(position(last))
  }

  async function readOne(
    client: ImapFlow,
    { uid, size, at }: { uid: number; size: number; at: number },
  ): Promise<void> {
    if (size > MAIL_BYTES_MAX) return log.warn({ uid, reason: 'too large' }, 'mail skipped')
    const found = await client.fetchOne(String(uid), { source: true }, { uid: true })
    // The mail was removed from the mailbox in the meantime.
    if (found === false || found.source === undefined) return
    try {
      const outcome = await take(found.source, at)
      if (typeof outcome === 'object') log.warn({ uid, reason: outcome.skipped }, 'mail skipped')
      else log.info({ uid, outcome }, 'mail read')
    } catch (error) {
      // The store is away, so the mail is read again.
      if (error instanceof AppError) throw error
      // A bug must not stop the mails after this one.
      log.error({ uid, err: error }, 'mail skipped')
    }
  }

  return {
    /** Whether this node should read the mailbox and cannot. */
    get isAway() {
      return state === 'away'
    },
    start(): void {
      running = run()
    },
    /** Resolves once the mail that is being read has been stored. */
    async close(): Promise<void> {
      stop.abort()
      await running
      await lease.release().catch(() => {})
    },
  }
}

export type MailReader = ReturnType<typeof createReader>

/** Creates a client that is not connected yet. */
export function clientOf({ host, port, secure, user, password }: InboundSettings): ImapFlow {
  return new ImapFlow({
    ...{ host, port, secure, logger: false, disableAutoIdle: true },
    // A mailbox without TLS is on the loopback interface.
    ...(secure ? {} : { doSTARTTLS: false }),
    auth: { user, pass: password },
    connectionTimeout: CONNECT_WITHIN_MS,
    greetingTimeout: CONNECT_WITHIN_MS,
    maxIdleTime: 5 * 60_000,
  })
}

/** Returns a short reason for the log, and not the error's text, because that can contain the user name. */
export function reasonOf(error: unknown): string {
  const { code, authenticationFailed, name } = (error ?? {}) as {
    code?: string
    authenticationFailed?: boolean
    name?: string
  }
  return authenticationFailed ? 'sign-in refused' : (code ?? name ?? 'connection closed')
}

/** Makes a signal that ends a wait, even one that begins later. */
function createWake() {
  let isDue = false
  let end = () => {}
  return {
    now: () => {
      isDue = true
      end()
    },
    forget: () => {
      isDue = false
    },
    wait: (ms: number) =>
      new Promise<void>((resolve) => {
        if (isDue) return resolve()
        const timer = setTimeout(resolve, ms)
        end = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
  }
}
