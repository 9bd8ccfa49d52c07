import type { MailRecord, MailRepository } from '../port/mails.ts'
import { Hash, Time } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'

export const MAILS: PlainTable<MailRecord> = {
  name: 'mails',
  key: 'hash',
  fields: { hash: Hash, expiresAt: Time },
  indexes: { expiry: { by: { expiresAt: 1 } } },
}

export function openMails(mails: Rows<MailRecord>): MailRepository {
  return {
    async add(mail, now) {
      await Promise.all([mails.remove({ expiresAt: { '<=': now } }), mails.insert(mail)])
    },
    has: async (hash) => (await mails.find({ hash })) !== null,
  }
}
