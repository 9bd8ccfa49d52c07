import type { Storage } from '../../api/src/storage/model/storage.ts'
import { openStores } from '../../api/src/storage/open-storage.ts'
import { ADMIN } from '../../api/test/admin.ts'
import { SAMPLE_CONVERSATIONS, type SampleConversation } from './sample-conversations.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE

interface Admins {
  anna: string
  maria: string
}

/** Fills the store of a stopped server with conversations such as admins see on a usual day. */
export async function fillSampleInbox(dataDir: string, now: number): Promise<void> {
  const { storage } = await openStores({ dataDir })
  const users = await storage.users.list()
  const idOf = (userName: string) => users.find((user) => user.userName === userName)?._id ?? ''
  const admins = { anna: idOf(ADMIN.userName), maria: idOf('maria') }
  for (const sample of SAMPLE_CONVERSATIONS) await add(storage, sample, admins, now)
  await storage.close()
}

async function add(storage: Storage, sample: SampleConversation, admins: Admins, now: number): Promise<void> {
  const { clientId, words, status, assignee, isRead = false } = sample
  let count = 0
  for (const [minutes, text] of words) {
    const at = now + minutes * MINUTE
    count += 1
    await addWords(storage, { clientId, text, at, nonce: `sample-${clientId}-${count}` }, admins)
    if (count === 1) await addDetails(storage, sample, { by: admins.maria, at, now })
  }
  if (isRead) await storage.conversations.markRead(clientId, 'admin', Number.MAX_SAFE_INTEGER)
  const at = now + (words.at(-1)?.[0] ?? 0) * MINUTE
  const by = admins.anna
  if (assignee !== undefined)
    await storage.inbox.change(clientId, { assigneeId: admins[assignee] }, { by, at })
  if (status === 'resolved') await storage.inbox.change(clientId, { status }, { by, at })
  if (status === 'snoozed') {
    await storage.inbox.change(clientId, { status, snoozedUntil: now + 18 * HOUR }, { by, at })
  }
}

async function addWords(
  storage: Storage,
  { clientId, text, at, nonce }: { clientId: string; text: string; at: number; nonce: string },
  { anna, maria }: Admins,
): Promise<void> {
  const [, sign = '', words = text] = /^(#|>>?) (.*)$/.exec(text) ?? []
  if (sign === '#') {
    await storage.inbox.addNote({ clientId, nonce, by: anna, text: words, mentions: [maria], at })
    return
  }
  const senderId = sign === '' ? clientId : sign === '>' ? anna : maria
  await storage.messages.append({ clientId, senderId, message: words, nonce, at })
  if (sign !== '') await storage.conversations.markRead(clientId, 'admin', Number.MAX_SAFE_INTEGER)
}

async function addDetails(
  storage: Storage,
  sample: SampleConversation,
  { by, at, now }: { by: string; at: number; now: number },
): Promise<void> {
  const { clientId, name = null, email = null, timeZone = null, device = 'Chrome on macOS', labels } = sample
  const examAt = sample.examIn === undefined ? null : now + sample.examIn * HOUR
  const { pages: visited = [['/faq', 'FAQ: booking, payment and exam day'] as const] } = sample
  const pages = visited.map(([path, title], index) => {
    const minutes = (visited.length - index) * 2
    return { path, title, at: at - minutes * MINUTE, seconds: 47 * (index + 1) }
  })
  const profile = { name, email, timeZone, examAt, device, locale: 'en-GB', page: visited.at(-1)?.[0] ?? '/' }
  await storage.visitors.update(clientId, { ...profile, pages }, { by: null, at })
  if (labels !== undefined) await storage.inbox.change(clientId, { labels }, { by, at })
}
