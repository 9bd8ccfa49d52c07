import { mailBody } from './mail-body.ts'
import type { Mailer, MailOutcome } from './mailer.ts'

export interface WaitingVisitor {
  clientId: string
  epoch: string
  /** Of the message that is unread. */
  seq: number
  /** Of the admins: those in their accounts. Null stands for the support address. */
  emails: readonly (string | null)[]
}

interface AdminMailsDeps {
  mailer: Mailer
  brand: string
  supportEmail: string
  /** An origin. */
  publicUrl: string
}

/** Tells admins in one mail that a visitor waits, without the visitor's words: those stay on the server. */
export type MailAdmins = (visitor: WaitingVisitor) => Promise<MailOutcome>

export function createMailAdmins({ mailer, brand, supportEmail, publicUrl }: AdminMailsDeps): MailAdmins {
  return ({ clientId, epoch, seq, emails }) => {
    const to = new Set(emails.map((email) => email ?? supportEmail))
    if (to.size === 0) to.add(supportEmail)
    const body = mailBody(
      [
        { words: 'A visitor of {brand} wrote in the live chat and has no answer yet.', values: { brand } },
        { label: 'Open the conversation', url: `${publicUrl}/dashboard/messages/${clientId}` },
        { words: 'Replies to this email are not read.' },
      ],
      { lang: 'en', dir: 'ltr' },
    )
    return mailer.send({
      ...body,
      id: `waiting ${clientId} ${epoch} ${seq}`,
      to: [...to],
      subject: 'A visitor is waiting',
    })
  }
}
