import { INVITE_HOURS } from '@proctorpass/shared/limits'
import { waitingText } from '@proctorpass/shared/notification-text'
import type { MailedInvitation } from '../auth/team.ts'
import { type MailBlock, mailBody } from './mail-body.ts'
import type { Mailer, MailOutcome } from './mailer.ts'

/** What a mail to admins is about: one visitor's conversation, or the number of visitors who wait. `id`: see `Mail`. */
export type WaitingVisitors = { id: string } & (
  | { clientId: string }
  | { waiting: { count: number; more: boolean } }
)

interface AdminMailsDeps {
  mailer: Mailer
  brand: string
  supportEmail: string
  /** The origin of the public site. */
  publicUrl: string
}

/**
 * Tells admins in one mail that visitors wait. The visitors' words stay on the server. `emails` has the addresses in
 * the admins' accounts; null stands for the support address.
 */
export type MailAdmins = (
  visitors: WaitingVisitors,
  emails: readonly (string | null)[],
) => Promise<MailOutcome>

export function createMailAdmins({ mailer, brand, supportEmail, publicUrl }: AdminMailsDeps): MailAdmins {
  function textsOf(visitors: WaitingVisitors): { subject: string; blocks: MailBlock[] } {
    const dashboard = `${publicUrl}/dashboard`
    if ('clientId' in visitors) {
      const words = 'A visitor wrote in the {brand} live chat and is still waiting for an answer.'
      const link = { label: 'Open the conversation', url: `${dashboard}/messages/${visitors.clientId}` }
      return { subject: 'A visitor is waiting', blocks: [{ words, values: { brand } }, link] }
    }
    const subject = waitingText(visitors.waiting)
    const words = '{waiting} in the {brand} live chat. This email covers several conversations.'
    const link = { label: 'Open the list', url: `${dashboard}/chats` }
    return { subject, blocks: [{ words, values: { waiting: subject, brand } }, link] }
  }

  const send = createSend({ mailer, supportEmail })
  return (visitors, emails) => send({ id: visitors.id, ...textsOf(visitors) }, emails)
}

function createSend({ mailer, supportEmail }: Pick<AdminMailsDeps, 'mailer' | 'supportEmail'>) {
  return (
    { id, subject, blocks }: { id: string; subject: string; blocks: MailBlock[] },
    emails: readonly (string | null)[],
  ): Promise<MailOutcome> => {
    const to = new Set(emails.map((email) => email ?? supportEmail))
    if (to.size === 0) to.add(supportEmail)
    const body = mailBody([...blocks, { words: 'Replies to this email are not read.' }], {
      lang: 'en',
      dir: 'ltr',
    })
    return mailer.send({ ...body, id, to: [...to], subject })
  }
}

/** Tells admins that an endpoint was disabled. `since` is an ISO 8601 time; `emails` is as in `MailAdmins`. */
export function createMailDisabled({ publicUrl, ...deps }: AdminMailsDeps) {
  const send = createSend(deps)
  return (
    endpoint: { endpointId: string; name: string; host: string; since: string },
    emails: readonly (string | null)[],
  ): Promise<MailOutcome> => {
    const { endpointId, name, host, since } = endpoint
    const words =
      'The endpoint {name} on {host} has accepted no events since {since}, so we stopped sending events to it. ' +
      'Events from the last 30 days are waiting. Enable the endpoint again once it works.'
    const blocks: MailBlock[] = [
      { words, values: { name, host, since } },
      { label: 'Open Integrations', url: `${publicUrl}/dashboard/integrations` },
    ]
    return send({ id: `endpoint ${endpointId} ${since}`, subject: 'A webhook was disabled', blocks }, emails)
  }
}

/** Mails an invitation to the address of a person who is not an admin yet. Returns whether the mail server took it. */
export function createMailInvitation({ mailer, brand }: Pick<AdminMailsDeps, 'mailer' | 'brand'>) {
  return async ({ id, to, userName, invitedBy, url }: MailedInvitation): Promise<boolean> => {
    const blocks: MailBlock[] = [
      {
        words:
          '{invitedBy} invited you to answer visitors in the {brand} live chat. Your username is {userName}.',
        values: { invitedBy, brand, userName },
      },
      { label: 'Accept the invitation', url },
      {
        words:
          "The link works once, within {hours} hours. Anyone who has it can join, so don't forward this email. " +
          "If you didn't expect an invitation, you can ignore this email.",
        values: { hours: INVITE_HOURS },
      },
      { words: 'Replies to this email are not read.' },
    ]
    const body = mailBody(blocks, { lang: 'en', dir: 'ltr' })
    return (await mailer.send({ ...body, id, to: [to], subject: `Join the ${brand} team` })) === 'sent'
  }
}
