import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MESSAGE_MAX, QUOTED_MAX } from '@proctorpass/shared/limits'
import { createAttachments } from '../../../src/chat/attachments.ts'
import { createChat } from '../../../src/chat/chat.ts'
import { createKeyedHash } from '../../../src/credentials/store-secret.ts'
import { createCounters } from '../../../src/limits/counters.ts'
import { createLimits } from '../../../src/limits/limits.ts'
import { createMailIn, type TakeMail } from '../../../src/mail/inbound/mail-in.ts'
import { parseMail } from '../../../src/mail/inbound/parse-mail.ts'
import { createLinks } from '../../../src/mail/links.ts'
import { createSettings } from '../../../src/settings/settings.ts'
import { openStores } from '../../../src/storage/open-storage.ts'
import type { Target } from '../loop.ts'
import { checkStoredRows } from '../stored-rows.ts'

const VISITOR = 'v'.repeat(20)
/** Stands in an input for the address of the visitor's conversation. `NONCE` stands for what is new in each run. */
const REPLY_ADDRESS = 'REPLY@acme.example'
const RUNS_OF_STORE = 500

export const words = [
  ...[
    REPLY_ADDRESS,
    'sam@example.org',
    'support@acme.example',
    '\r\n',
    '\r\n\r\n',
    '--b\r\n',
    '--b--\r\n',
    '\r\n ',
  ],
  ...[
    'Content-Type: ',
    'Content-Transfer-Encoding: ',
    'Content-Disposition: ',
    'Content-ID: <a@b>',
    'From: ',
  ],
  ...['multipart/mixed; boundary=b', 'multipart/alternative; boundary=b', 'multipart/related; boundary=b'],
  ...[
    'text/html',
    'text/plain',
    'message/rfc822',
    'image/png',
    'text/calendar; method=REPLY',
    'format=flowed; delsp=yes',
  ],
  ...[
    'base64',
    'quoted-printable',
    '8bit',
    'charset=',
    "filename*0*=utf-8''%E4",
    'filename="a.png"',
    'name=x.txt',
  ],
  ...[
    '=?utf-8?B?YQ==?=',
    '=?iso-2022-jp?Q?=1B$B?=',
    '=?',
    '?=',
    '=\r\n',
    '=3D',
    '=C3=A4',
    '\x1b$B',
    '+AGEAYg-',
    '~{',
  ],
  ...[
    'iso-2022-jp',
    'gb18030',
    'utf-7',
    'utf-16',
    'windows-1252',
    'shift_jis',
    'big5',
    'euc-kr',
    'hz-gb-2312',
    'koi8-r',
  ],
  ...[
    '<blockquote>',
    '<div class="gmail_quote">',
    '<table><tr><td>',
    '<br>',
    '<p>',
    '<pre>',
    '<!--',
    '-->',
    '&nbsp;',
    '&#x',
  ],
  ...[
    '> ',
    '-- \r\n',
    'On Mon, Jun 1, 2026 at 8:00, Acme wrote:',
    '-----Original Message-----',
    '________________',
  ],
  ...[
    'Auto-Submitted: auto-replied',
    'Authentication-Results: mx.acme.example; dmarc=pass header.from=example.org',
  ],
]

export async function open(): Promise<Target> {
  let dataDir = ''
  let runs = 0
  let world: Awaited<ReturnType<typeof openWorld>> | null = null

  async function closeWorld(): Promise<void> {
    if (world === null) return
    await world.stores.storage.close()
    await checkStoredRows(dataDir)
    rmSync(dataDir, { recursive: true })
    world = null
  }

  return {
    async beforeRun() {
      runs += 1
      if (runs % RUNS_OF_STORE !== 1) return
      await closeWorld()
      dataDir = mkdtempSync(join(tmpdir(), 'proctorpass-fuzz-mail-'))
      world = await openWorld(dataDir)
    },
    async run(input) {
      const text = input.toString('latin1')
      // The first header makes each run's mail a mail of its own.
      const filled = `X-Run: ${runs}\r\n${text}`
        .replaceAll(REPLY_ADDRESS, world?.replyTo ?? '')
        .replaceAll('NONCE', `nonce${runs}`)
      const raw = Buffer.from(filled, 'latin1')
      return world === null ? undefined : takeTwice(world, raw)
    },
    close: closeWorld,
  }
}

async function openWorld(dataDir: string) {
  const now = () => Date.now()
  const stores = await openStores({ dataDir })
  const { storage } = stores
  const limits = createLimits({ enabled: false, counters: createCounters(null) })
  const hash = createKeyedHash(storage.documents)
  const links = createLinks({ storage, hash, limits, answersByMail: true, now })
  const settings = createSettings({ storage, mail: true })
  const supportEmail = 'help@acme.example'
  const attachments = createAttachments({
    ...{
      storage,
      files: stores.attachmentFiles,
      limits,
      settings,
      supportEmail,
      uploadsMaxBytes: 2 ** 30,
      now,
    },
  })
  const chat = createChat({
    ...{ storage, transport: 'push', brand: 'Acme', supportEmail, limits, settings, attachments, now },
  })
  const take = createMailIn({
    ...{ storage, chat, links, attachments, hash, parse: parseMail, rateLimits: false, supportEmail, now },
    mayHaveFiles: async () => true,
    settings: { replyAddress: 'support@acme.example', authservId: 'mx.acme.example' },
    mailFrom: 'no-reply@acme.example',
  })
  await storage.messages.append({
    ...{ clientId: VISITOR, senderId: VISITOR, message: 'hello?', nonce: 'first-message', at: now() },
  })
  await storage.visitors.update(VISITOR, { email: 'sam@example.org' }, { by: null, at: now() })
  const epoch = (await storage.conversations.find(VISITOR))?.epoch ?? ''
  const { reply } = await links.create({ clientId: VISITOR, epoch, addressId: null, mailId: 'a reply' })
  return { stores, take, replyTo: `support+${reply}@acme.example` }
}

interface World {
  stores: Awaited<ReturnType<typeof openStores>>
  take: TakeMail
}

/** Takes a mail, checks what it stored, and takes it again, which must store nothing. */
async function takeTwice({ stores: { storage }, take }: World, raw: Buffer): Promise<string[]> {
  const lastMessage = async () => (await storage.messages.page(VISITOR, { limit: 1 }))?.messages.at(-1)
  const before = await lastMessage()
  const outcome = await take(raw, Date.now())
  const name = typeof outcome === 'string' ? outcome : outcome.skipped
  const message = await lastMessage()
  if (outcome === 'message') {
    if (message === undefined || message.seq === before?.seq) throw new Error('No message was stored.')
    const { message: text, quoted } = message
    if (text.length > 2 * MESSAGE_MAX || (quoted?.length ?? 0) > 2 * QUOTED_MAX)
      throw new Error('A text is too long.')
    for (const each of [text, quoted ?? '']) {
      if (!each.isWellFormed() || /[^\P{Cc}\n\t]/u.test(each))
        throw new Error('A text has control characters.')
    }
    if (text === '' && !message.attachments?.length) throw new Error('The message is empty.')
  } else if (message?.seq !== before?.seq)
    throw new Error(`A message was stored, but the outcome is ${name}.`)
  const again = await take(raw, Date.now())
  if (again !== 'known') throw new Error(`The second time, the outcome is ${JSON.stringify(again)}.`)
  return [name]
}
