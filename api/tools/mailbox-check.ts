import type { InboundSettings } from '../src/env/inbound-settings.ts'
import { resultsIn } from '../src/mail/inbound/authentication.ts'
import { readHead } from '../src/mail/inbound/parse-mail.ts'
import { clientOf, reasonOf } from '../src/mail/inbound/reader.ts'

type Finding = ['ok' | 'note' | 'WRONG', string]

const MAILS_READ = 20
const NAMES_SHOWN = 5

/** Whether the mailbox opens, and whether its mail server writes what verifies senders. Changes nothing there. */
export async function checkMailbox(inbound: InboundSettings | null): Promise<Finding[]> {
  if (inbound === null) return [['ok', 'not used, because visitors reply in the chat']]
  const client = clientOf(inbound)
  client.on('error', () => {})
  try {
    await client.connect()
    const { exists } = await client.mailboxOpen(inbound.mailbox, { readOnly: true })
    const names = new Set<string>()
    const newest = `${Math.max(1, exists - MAILS_READ + 1)}:*`
    for await (const { headers } of exists === 0 ? [] : client.fetch(newest, { headers: true })) {
      const head = headers === undefined ? null : readHead(headers)
      for (const { id, isAbove } of resultsIn(head?.headers ?? [])) if (isAbove) names.add(id)
    }
    return [
      ['ok', `${inbound.host} opens ${inbound.mailbox}`],
      verification(inbound.authservId, names, exists),
    ]
  } catch (error) {
    return [['WRONG', `${inbound.host} (${reasonOf(error)}): check INBOUND_URL and the mailbox name`]]
  } finally {
    client.close()
  }
}

/** `names`: under which the mails have results that the own server wrote. */
function verification(authservId: string | null, names: ReadonlySet<string>, mails: number): Finding {
  if (authservId !== null && names.has(authservId)) return ['ok', `${authservId} verifies senders`]
  const found = [...names].slice(0, NAMES_SHOWN).map((name) => JSON.stringify(name.slice(0, 100)))
  const written =
    mails === 0
      ? 'The mailbox has no mail that shows the name.'
      : found.length === 0
        ? 'The newest mails have no Authentication-Results above their first Received: let your mail server check DMARC.'
        : `The newest mails have Authentication-Results from ${found.join(', ')}.`
  const wrong =
    authservId === null
      ? 'INBOUND_AUTHSERV is not set, so no sender is verified'
      : `no mail has results from ${authservId}`
  return ['note', `${wrong}. ${written}`]
}
