import { randomUUID } from 'node:crypto'
import type { Attachments } from '../../chat/attachments.ts'
import type { Chat } from '../../chat/chat.ts'
import { createKeyedHash } from '../../credentials/store-secret.ts'
import type { Env } from '../../env/env.ts'
import type { SettingsUseCases } from '../../settings/settings.ts'
import type { Storage } from '../../storage/model/storage.ts'
import type { Links } from '../links.ts'
import { createLease } from './lease.ts'
import { createMailIn } from './mail-in.ts'
import { parseInThread } from './parser.ts'
import { createReader, type MailReader } from './reader.ts'

interface InboundDeps {
  env: Env
  useCases: {
    storage: Storage
    chat: Chat
    attachments: Attachments
    links: Links
    settings: SettingsUseCases
  }
  log: Parameters<typeof createReader>[0]['log']
  now: () => number
}

/** Creates the reader of answers by mail; returns null unless answers by mail are set up. */
export function openInbound({ env, useCases, log, now }: InboundDeps): MailReader | null {
  const { inbound, mail, supportEmail, rateLimits } = env
  if (inbound === null || mail === null) return null
  const { storage, chat, attachments, links, settings } = useCases
  const take = createMailIn({
    ...{ storage, chat, attachments, links, settings: inbound, supportEmail, rateLimits, now },
    mailFrom: mail.from.address,
    mayHaveFiles: async () => (await settings.current()).files,
    hash: createKeyedHash(storage.documents),
    parse: parseInThread,
  })
  // A process that owns the store keeps its node name, so it continues at once after a restart.
  const node = storage.contentRevision === null ? 'alone' : randomUUID()
  return createReader({ settings: inbound, lease: createLease(storage.documents, node, now), take, log, now })
}
