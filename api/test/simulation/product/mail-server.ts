import type { Deliveries } from './deliveries.ts'
import type { Faults } from './faults.ts'
import { currentActor, type World } from './world.ts'

/** How often each kind of failure happens to a mail. */
const RATES = { unreachable: 0.1, busy: 0.1, refused: 0.05, lostAnswer: 0.15, slow: 0.15 }
const SLOW_MS = [5_000, 39_000] as const
const MS = [20, 300] as const

interface SimulatedMail {
  to: { address: string }[]
  messageId: string
  text: string
  signal: AbortSignal
}

interface MailServer {
  world: World
  faults: Faults
  deliveries: Deliveries
}

let open: MailServer | null = null
/** Each that was accepted, or refused for good. */
let settled: SimulatedMail[] = []

export function openMailServer(server: MailServer): void {
  open = server
  settled = []
}

/** Whether a mail with this text was accepted, or refused for good. */
export function isMailed(to: string | null, text: string): boolean {
  return settled.some(
    (mail) => mail.text.includes(text) && (to === null || mail.to.some(({ address }) => address === to)),
  )
}

/** Replaces nodemailer: a mail server that is not reached, refuses, is slow, or accepts a mail without telling. */
export const createTransport = () => ({
  sendMail: (mail: SimulatedMail): Promise<void> =>
    new Promise((resolve, reject) => {
      const actor = currentActor()
      if (open === null || actor === undefined) throw new Error('Servers send mails.')
      const { world, faults, deliveries } = open
      const { random } = world
      const fails = (kind: keyof typeof RATES) => faults.happens(`mail ${kind}`, RATES[kind])
      const fail = (what: string, error: object) =>
        void world.after(random.integer(...MS), actor, what, () =>
          reject(Object.assign(new Error(what), error)),
        )
      mail.signal.addEventListener('abort', () => reject(mail.signal.reason))
      if (fails('unreachable')) return fail('reaches no mail server', { code: 'ECONNECTION' })
      if (fails('busy'))
        return fail('is to mail later', { code: 'EENVELOPE', command: 'RCPT TO', responseCode: 450 })
      const isRefused = fails('refused')
      const isLost = fails('lostAnswer')
      const ms = fails('slow') ? random.integer(...SLOW_MS) : random.integer(...MS)
      world.after(ms, actor, 'has its mail received', () => {
        settled.push(mail)
        if (isRefused)
          return fail('has its mail refused', {
            code: 'EMESSAGE',
            command: 'DATA',
            responseCode: 554,
            permanent: true,
          })
        const told = deliveries.accept(`mail ${mail.messageId}`)
        if (isLost) return fail('loses the answer to a mail', { code: 'ETIMEDOUT' })
        world.after(random.integer(...MS), actor, 'has mailed', () => {
          told()
          resolve()
        })
      })
    }),
})
