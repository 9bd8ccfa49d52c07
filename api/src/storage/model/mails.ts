import { Hash, Time } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

/** A mail that was read from the mailbox, by the SHA-256 hash of its bytes. */
export interface MailRecord {
  hash: string
  expiresAt: number
}

export const MAILS: PlainTable<MailRecord> = {
  name: 'mails',
  key: 'hash',
  fields: { hash: Hash, expiresAt: Time },
  indexes: { expiry: { by: { expiresAt: 1 } } },
}

export function openMails(mails: Rows<MailRecord>) {
  return {
    /** Remembers a mail, and removes the mails that have expired at `now`. */
    async add(mail: MailRecord, now: number): Promise<void> {
      await Promise.all([mails.remove({ expiresAt: { '<=': now } }), mails.insert(mail)])
    },
    has: async (hash: string) => (await mails.find({ hash })) !== null,
  }
}
