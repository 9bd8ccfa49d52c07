import { NEVER } from '../src/storage/model/blogs.ts'
import type { NewAttachment } from '../src/storage/model/conversation/attachments.ts'
import { FOREVER } from '../src/storage/model/conversation/blocks-and-ratings.ts'
import { OLD_SESSION } from '../src/storage/model/sessions.ts'
import type { Stores } from '../src/storage/model/storage.ts'
import { keyRecord } from './storage-contract/api-keys.ts'
import { endpointRecord } from './storage-contract/endpoints.ts'
import { siteRecord } from './storage-contract/sites.ts'
import { listPosts } from './storage-contract/store-under-test.ts'

const T0 = Date.UTC(2026, 0, 1)
const ADMIN_ID = 'a'.repeat(24)
const SECOND_ADMIN_ID = 'b'.repeat(24)
const PASSWORD_HASH = `$argon2id$v=19$m=19456,t=2,p=1$${'s'.repeat(22)}$${'h'.repeat(43)}`
const IMAGE = `/uploads/${'ab'.repeat(20)}.png`

let count = 0
export const clientId = (name: string) => name.padEnd(20, '0')

export function say(
  { storage }: Stores,
  to: string,
  message: string,
  options: { byAdmin?: boolean; nonce?: string; keyHash?: string; attachments?: string[] } = {},
) {
  count += 1
  return storage.messages.append({
    clientId: to,
    senderId: options.byAdmin ? ADMIN_ID : to,
    message,
    nonce: options.nonce ?? `nonce-${count}-xxxx`,
    keyHash: options.keyHash,
    attachments: options.attachments,
    at: T0 + count,
  })
}

/** The hash of the key of the conversations `Waits` and `Erased`. */
export const KEY_HASH = 'k'.repeat(43)
export const OTHER_KEY_HASH = 'o'.repeat(43)

/** The first two are sent, and the third one waits with a scheduled message. The ids are not in order of time. */
const FILES = ['8', '6', '5', '7', '9'].map((digit) => digit.repeat(24))

/** Stores a file for a message. */
export async function attach(
  { storage, attachmentFiles }: Stores,
  to: string,
  _id: string,
  bytes: Buffer,
  fields: Partial<NewAttachment> = {},
): Promise<string> {
  const row = {
    _id,
    clientId: to,
    senderId: to,
    nonce: `nonce-of-${_id}`,
    sentHash: 's'.repeat(43),
    keyHash: null,
  }
  const file = { name: '合同 “1” 😀.pdf', type: 'application/pdf', bytes: bytes.length } as const
  await storage.attachments.add(
    { ...row, ...file, width: null, height: null, createdAt: T0, ...fields },
    { files: 50, bytes: 10_000_000, unsentBytes: null },
  )
  await attachmentFiles.put(_id, bytes)
  return _id
}

/** Stores rows of every table, with unusual and large texts among them. */
export async function fill(stores: Stores): Promise<void> {
  const { storage, uploadFiles } = stores
  const user = { passwordHash: PASSWORD_HASH, roles: ['Admin'], createdAt: T0 }
  const first = await storage.users.createFirst({ ...user, userName: 'Zoë' })
  const passkey = { credentialId: 'c'.repeat(43), publicKey: 'p'.repeat(103), counter: 7, createdAt: T0 }
  const factors = {
    ...{ version: 1, totp: { sealed: 'sealed', lastStep: 5 }, recovery: ['r'.repeat(43), 's'.repeat(43)] },
    passkeys: [
      {
        ...passkey,
        _id: '3'.repeat(24),
        name: 'Zoë’s 手机 😀',
        transports: ['internal'],
        lastUsedAt: T0 + 1,
      },
      { ...passkey, _id: '4'.repeat(24), name: 'Key', transports: [], counter: 0, lastUsedAt: null },
    ],
  }
  await storage.users.useFactor(first?._id ?? '', factors, 0)
  const gone = await storage.users.create({ ...user, userName: 'gone' })
  await storage.users.changeCredentials(gone?._id ?? '', { disabled: true })
  const invite = { displayName: '安娜 “Anna” 😀', inviteHash: 'i'.repeat(43), inviteExpiresAt: T0 + 1 }
  await storage.users.create({ ...user, ...invite, userName: 'invited' })
  const profile = { displayName: '安娜 “Anna” 😀', onDuty: false, email: 'zoë@例子.example' }
  const weekly = { timeZone: 'America/St_Johns', weeklyFrom: '2026-11-30' }
  await storage.users.changeProfile(first?._id ?? '', { ...weekly, face: `/uploads/${'5'.repeat(40)}.webp` })
  await storage.users.changeProfile(gone?._id ?? '', profile)
  const session = {
    userId: ADMIN_ID,
    currentHash: 'h2',
    expiresAt: T0 * 2,
    credentialVersion: 0,
    ...OLD_SESSION,
  }
  const used = { device: 'Chrome on Android', network: '203.0.113.0/24', usedAt: T0 + 1, confirmedAt: T0 }
  await storage.sessions.create({
    ...{ ...session, ...used, _id: '1'.repeat(24), previousHash: 'h1', createdAt: T0 },
  })
  await storage.sessions.create({ ...session, _id: '2'.repeat(24), previousHash: null, createdAt: T0 + 1 })

  const subscription = { userId: ADMIN_ID, sessionId: '1'.repeat(24), createdAt: T0, retryAt: T0 + 1 }
  const device = { label: 'Zoë’s 手机 😀', previews: true, p256dh: 'p'.repeat(87), auth: 'a'.repeat(22) }
  const endpoint = 'https://push.example/device'
  await storage.subscriptions.put({ ...subscription, ...device, _id: 's'.repeat(43), endpoint }, 20)

  await uploadFiles.put(`${'ab'.repeat(20)}.png`, Buffer.from('a picture'))
  await uploadFiles.put(`${'ab'.repeat(20)}-480.webp`, Buffer.alloc(500_000, '\0\n\xff\u2028'))
  await storage.samples.seed(
    {
      blogs: [post('sample'), post('sample-that-was-changed')],
      reviews: [review('Sample')],
    },
    { onlyWhenEmpty: false },
  )
  const changed = await storage.blogs.findBySlug('sample-that-was-changed')
  await storage.blogs.update(changed?._id ?? '', { title: 'Mine \u2028 now', at: T0 + 5 })
  const draft = await storage.blogs.create({
    ...post('with-a-picture'),
    ...{ publishAt: NEVER, authorId: ADMIN_ID, readingMinutes: 45 },
    img: IMAGE,
    imgAlt: 'A picture of “words” \u2028 😀',
    content: `<p>${'漢字 '.repeat(9_000)}</p>`,
  })
  const preview = { _id: draft?._id ?? '', hash: 'p'.repeat(43), expiresAt: T0 + 1 }
  await storage.previewLinks.replace(preview, T0)
  const saved = { userId: ADMIN_ID, name: 'Ärger 😀', query: 'q=%E6%BC%A2&after=7d', createdAt: T0 }
  await storage.savedSearches.create(saved, 20)
  const text = { _id: 'zh article:a-guide', at: T0, by: ADMIN_ID, own: true, base: 'b'.repeat(43) }
  const fields = JSON.stringify({ title: '“指南” \u2028 😀', content: `<p>"<img src="${IMAGE}"></p>` })
  await storage.texts.write({ ...text, version: 1, fields })
  await storage.versions.keep('text zh article:a-guide', { n: 1, at: T0, by: ADMIN_ID, fields })
  await storage.texts.write({ ...text, version: 2, own: false, fields: null })
  const file = JSON.stringify({ 'view.send': 'Wysłać \u2028 😀', $where: '' })
  await storage.languages.put({ tag: 'pl', file, changedAt: T0 })
  await storage.reviews.create({ ...review('Sam'), star: 4.7 })
  await storage.reviews.submit(review('Waiting'))
  await storage.contacts.create({
    email: 'zoë@例子.example',
    title: '{"$gt":""}',
    message: 'a\r\n\u2028\t"\\',
    createdAt: T0,
  })

  const hello = { shortcut: 'hello', text: 'Hello {{visitor.name}}\n\u2028 😀', createdAt: T0 }
  const refund = { shortcut: '9-refund', text: '退款', createdAt: T0 }
  await storage.replies.create(hello, 10)
  await storage.suggestions.add('/faq#cost', '2026-11-24', { opened: 2, asked: 1 })
  await storage.suggestions.add('/blog/webcams', '2026-11-25', { opened: 1, asked: 0 })
  await storage.answers.add({ at: T0, waitedMs: 1_234 })
  await storage.answers.add({ at: T0 + 1, waitedMs: 0 })
  await storage.documents.write('odd-names', { key: '你好 $a.b' }, 0)
  const stored = await storage.replies.create(refund, 10)
  if (stored.outcome === 'stored')
    await storage.replies.update(stored.reply._id, { text: '退款 {{brand}}' }, 1)

  const talk = clientId('Talk')
  const [contract = '', picture = '', waiting = '', unsent = '', forgotten = ''] = FILES
  await attach(stores, talk, contract, Buffer.alloc(500_000, '\0\n\xff\u2028'))
  const image = { type: 'image/webp', name: 'a.webp', width: 30, height: 20, senderId: ADMIN_ID } as const
  await attach(stores, talk, picture, Buffer.from('a picture'), image)
  await attach(stores, talk, waiting, Buffer.from('sent later'), { senderId: ADMIN_ID })
  await attach(stores, talk, unsent, Buffer.from('never sent'))
  await say(stores, talk, '汉字 and 😀', { attachments: [contract] })
  for (const text of ["'; DROP TABLE messages; --", '😀'.repeat(4_000)]) await say(stores, talk, text)
  await say(stores, talk, 'a reply', { byAdmin: true, attachments: [picture] })
  const note = {
    by: ADMIN_ID,
    mentions: [ADMIN_ID, SECOND_ADMIN_ID],
    at: T0 + 500,
    nonce: 'the-nonce-of-a-note',
  }
  await storage.inbox.addNote({ ...note, clientId: talk, text: '“退款” \u2028 😀 {"$gt":""}' })
  const byAdmin = { by: ADMIN_ID, at: T0 + 501 }
  await storage.inbox.change(talk, { status: 'resolved', labels: ['Refund', '退款 😀'] }, byAdmin)
  await say(stores, talk, 'thanks\u2029', { nonce: 'the-same-nonce' })
  await storage.conversations.markRead(talk, 'admin', 2)
  await storage.conversations.markRead(talk, 'visitor', 4)
  const said = { name: 'Zoë \u2028 “Z” 😀', email: 'zoë@例子.example', examAt: T0 * 2 }
  const browser = { locale: 'zh-Hant-TW', timeZone: 'America/Argentina/ComodRivadavia', device: 'Firefox' }
  const pages = { page: '/faq', referrer: 'https://www.example.com', card: 'faq-help' }
  const asVisitor = { by: null, at: T0 + 1_000 }
  await storage.visitors.update(talk, { ...said, ...browser, ...pages }, asVisitor)
  const { epoch = '' } = (await storage.conversations.find(talk)) ?? {}
  const mark = { clientId: talk, epoch }
  await storage.seenMarks.move(SECOND_ADMIN_ID, { ...mark, seq: 2, n: 1 })
  await storage.seenMarks.move(ADMIN_ID, { ...mark, seq: 5, n: 0 })
  await storage.visitors.mailed(talk, { epoch, seq: 4, at: T0 + 600, failed: false })
  await storage.visitors.setUnsubscribed(talk, true)
  await storage.addresses.setUnsubscribed('n'.repeat(43), T0)
  for (const name of ['a', 'b']) {
    await storage.addresses.take('n'.repeat(43), name.repeat(43), { max: 2, windowMs: 1_000 }, T0)
  }
  const link = { clientId: talk, epoch, addressId: 'n'.repeat(43), expiresAt: T0 * 2 }
  await storage.links.create(
    [
      { ...link, kind: 'resume', hash: 'r'.repeat(43), addressId: null },
      { ...link, kind: 'unsubscribe', hash: 'u'.repeat(43) },
      { ...link, kind: 'reply', hash: 'p'.repeat(43) },
      { ...link, kind: 'sent', hash: 's'.repeat(43) },
    ],
    T0,
  )
  const secret = { _id: ADMIN_ID, sealed: 'sealed', createdAt: T0, lastUsedAt: null }
  await storage.events.begin()
  await storage.apiKeys.create(keyRecord('9'), 50)
  await storage.endpoints.create(endpointRecord(8, { url: 'https://hooks.example/8' }), 20)
  const retry = { endpoint: endpointRecord(8)._id, subject: talk, event: 1, attempts: 2, dueAt: T0 }
  await storage.retries.put(retry)
  await storage.sites.create(siteRecord('shop', { secrets: [secret] }), 50)
  await storage.audit.append({
    ...{ by: ADMIN_ID, action: 'settings.changed', target: null, details: { brand: '品牌' } },
    ...{ address: '192.0.2.0/24', at: T0 },
  })
  await storage.mails.add({ hash: 'm'.repeat(43), expiresAt: T0 * 2 }, T0)
  await storage.messages.append({
    ...{ clientId: talk, senderId: talk, message: 'by mail \u2028', nonce: 'mail-nonce', at: T0 + 700 },
    mail: { quoted: '> 引用 😀' },
  })
  const mail = {
    from: 'eve@example.org',
    text: 'forged',
    verified: false,
    quoted: '> x',
    automatic: true,
  } as const
  await storage.inbox.addMail({ clientId: talk, epoch, nonce: 'mail-entry', data: mail, at: T0 + 701 })
  await storage.visitors.bounced(talk, { epoch, email: said.email, at: T0 + 702 })
  const later = { by: ADMIN_ID, sendAt: T0 * 2, anyway: true, at: T0 + 703 }
  const attached = { nonce: 'scheduled-nonce', message: '明天 \u2028 😀', attachments: [waiting] }
  await storage.inbox.schedule({ clientId: talk, ...later, ...attached })
  const earlier = { nonce: 'scheduled-earlier', message: 'Hi', sendAt: T0 * 2 - 1, attachments: [] }
  await storage.inbox.schedule({ clientId: talk, ...later, ...earlier })
  const canceled = { nonce: 'scheduled-canceled', message: 'Not this', attachments: [] }
  await storage.inbox.schedule({ clientId: talk, ...later, ...canceled })
  await storage.inbox.unschedule(talk, canceled.nonce, { reason: 'admin', by: ADMIN_ID, at: T0 + 704 })
  const site = { _id: siteRecord('shop')._id, name: 'shop' }
  const shopper = await storage.conversations.admit(clientId('Shopper'), KEY_HASH, site)
  const signed = { sub: 'user-7 \u2028 😀', name: 'Sam', email: null, site, at: T0 }
  await storage.visitors.sign(clientId('Shopper'), shopper, signed)
  const identity = { siteId: site._id, clientId: clientId('Shopper') }
  await storage.identities.add({ _id: 'i'.repeat(43), ...identity })
  const remembered = { hash: 'c'.repeat(43), ...identity, epoch: shopper, expiresAt: T0 * 2 }
  await storage.remembered.add(remembered, T0)
  await say(stores, clientId('Shopper'), 'from the shop', { keyHash: KEY_HASH })
  await storage.inbox.logIdentity(clientId('Shopper'), { sub: signed.sub, clientId: clientId('Waits') }, T0)
  await say(stores, clientId('Waits'), 'hello?')
  await storage.visitors.update(clientId('Waits'), { name: 'Sam' }, { by: ADMIN_ID, at: T0 })
  await say(stores, clientId('Waits'), 'are you there?', { keyHash: KEY_HASH })
  const waits = await storage.conversations.find(clientId('Waits'))
  await storage.conversations.addKey(clientId('Waits'), OTHER_KEY_HASH, waits?.epoch ?? '')
  await storage.inbox.change(clientId('Waits'), { status: 'snoozed', snoozedUntil: T0 * 2 }, byAdmin)
  for (const settled of [true, false]) await storage.inbox.change(clientId('Waits'), { settled }, byAdmin)
  await say(stores, clientId('Spam'), 'buy now')
  await storage.inbox.change(clientId('Spam'), { status: 'snoozed', snoozedUntil: T0 * 2 }, byAdmin)
  await storage.inbox.change(clientId('Spam'), { status: 'spam' }, byAdmin)
  await say(stores, clientId('Spam'), 'buy more')
  await say(stores, clientId('Answered'), 'hello?')
  await say(stores, clientId('Answered'), 'hello!', { byAdmin: true })
  const better = { clientId: clientId('Answered'), seq: 2, by: ADMIN_ID, at: T0 + 501 }
  await storage.inbox.edit({ ...better, nonce: 'edit-first', message: 'hello 谢谢 \u2028 😀' })
  await storage.conversations.markRead(clientId('Answered'), 'admin', 2)
  await storage.inbox.block(clientId('Answered'), T0 + 1, { by: ADMIN_ID, at: T0 })
  await storage.inbox.change(clientId('Answered'), { status: 'resolved', assigneeId: null }, byAdmin)
  const rating = { score: 4, words: '谢谢 \u2028 😀' }
  await storage.inbox.rate(clientId('Answered'), rating, { at: T0 + 502, keyHash: null })
  const byKey = { keyHash: KEY_HASH }
  await attach(stores, clientId('Erased'), forgotten, Buffer.from('forget this too'), byKey)
  await say(stores, clientId('Erased'), 'forget me', { ...byKey, attachments: [forgotten] })
  await storage.visitors.update(clientId('Erased'), said, asVisitor)
  await storage.inbox.addNote({ ...note, clientId: clientId('Erased'), text: 'forget this' })
  await storage.inbox.change(clientId('Erased'), { labels: ['Forgotten'], status: 'resolved' }, byAdmin)
  const forgottenLater = { nonce: 'scheduled-erased', message: 'forget this too', attachments: [] }
  await storage.inbox.schedule({ clientId: clientId('Erased'), ...later, ...forgottenLater })
  await storage.conversations.erase(clientId('Erased'))
  await storage.inbox.block(clientId('Erased'), FOREVER, byAdmin)
  await say(stores, clientId('ErasedAgain'), 'forget me')
  await storage.conversations.erase(clientId('ErasedAgain'))
  await say(stores, clientId('ErasedAgain'), 'but not me')
}

function post(slug: string) {
  return {
    slug,
    title: 'A title',
    summary: '',
    img: '/a.svg',
    imgAlt: slug === 'sample' ? null : '',
    content: '<p>Text</p>',
    createdAt: T0 + slug.length,
  }
}

function review(name: string) {
  return { name, time: 'March 2026', star: 5, review: `By ${name} 😀`, createdAt: T0 + name.length }
}

/** Everything that the port returns of what `fill` stores and a copy has, and of these conversations. */
export async function contentsOf(
  { storage, uploadFiles, attachmentFiles }: Stores,
  clientIds: string[] = CONVERSATIONS,
) {
  const all = { page: 1, perPage: 100 }
  const blogs = await listPosts(storage, all)
  const files = await uploadFiles.list()
  return {
    users: await storage.users.list(),
    named: await storage.users.findByName('ZOE\u0308'),
    sessions: await storage.sessions.listOf(ADMIN_ID, T0),
    subscriptions: await storage.subscriptions.listOf(ADMIN_ID),
    links: [
      await storage.links.find('r'.repeat(43), 'resume', T0),
      await storage.links.find('u'.repeat(43), 'unsubscribe', T0),
    ],
    blogs: await Promise.all(blogs.items.map(({ slug }) => storage.blogs.findBySlug(slug))),
    preview: await storage.previewLinks.findByHash('p'.repeat(43), T0),
    usesPicture: await storage.blogs.refersTo(IMAGE),
    reviews: await storage.reviews.list(all),
    pending: await storage.reviews.pending(all),
    contacts: await storage.contacts.list(all),
    replies: await storage.replies.list(),
    savedSearches: await storage.savedSearches.listOf(ADMIN_ID),
    texts: await storage.texts.list(),
    versions: await storage.versions.list('text zh article:a-guide', 9),
    version: await storage.versions.find('text zh article:a-guide', 1),
    versionUsesPicture: await storage.versions.refersTo(IMAGE),
    languages: await storage.languages.list(),
    signed: await storage.visitors.find(clientId('Shopper')),
    sites: await storage.sites.list(),
    apiKeys: await storage.apiKeys.list(),
    endpoints: await storage.endpoints.list(),
    retries: await storage.retries.list(endpointRecord(8)._id, { limit: 9 }),
    keptFigures: await storage.reports.kept(0, { limit: 10 }),
    suggestions: await storage.suggestions.list('2026-11-24', '2026-11-25', { offset: 0, limit: 10 }),
    identity: await storage.identities.find('i'.repeat(43)),
    remembered: await storage.remembered.find('c'.repeat(43), siteRecord('shop')._id, T0),
    oddNames: await storage.documents.read('odd-names'),
    answers: await storage.answers.waits(0, 10),
    // Opening a copy adds an entry.
    audit: (await storage.audit.page(null, 9)).filter(({ action }) => action !== 'store.copied'),
    unsubscribed: await storage.addresses.isUnsubscribed('n'.repeat(43)),
    // Full until then.
    freeAt: await storage.addresses.take('n'.repeat(43), 'c'.repeat(43), { max: 2, windowMs: 1_000 }, T0),
    uploads: await Promise.all(
      files
        .map(({ name }) => name)
        .sort()
        .map(async (name) => [name, await bytesOf(await uploadFiles.open(name))]),
    ),
    attachments: await Promise.all(
      FILES.slice(0, 3).map(async (id) => [
        await storage.attachments.find(clientId('Talk'), id),
        await bytesOf(await attachmentFiles.open(id)),
      ]),
    ),
    list: await storage.conversations.list({ limit: 500 }),
    visitors: await Promise.all(clientIds.map((id) => storage.visitors.find(id))),
    unread: await storage.conversations.totalAdminUnread(),
    logs: await Promise.all(clientIds.map((id) => storage.inbox.activity(id, { limit: 1_000 }))),
    seen: await Promise.all(
      [ADMIN_ID, SECOND_ADMIN_ID].map(async (id) =>
        (await storage.seenMarks.of(id, clientIds)).map(({ clientId: of, seq, n }) => ({ of, seq, n })),
      ),
    ),
    concerning: (await storage.inbox.concerning(SECOND_ADMIN_ID, { since: 0, limit: 10 })).map(
      ({ activity, visitorName }) => ({ activity, visitorName }),
    ),
    labels: await storage.inbox.labels(100),
    counts: await storage.inbox.counts(ADMIN_ID, T0 * 2 - 1),
    due: await storage.inbox.dueSnoozes(T0 * 2, 100),
    scheduled: await Promise.all(clientIds.map((id) => storage.inbox.scheduled(id))),
    dueMessages: await storage.inbox.dueMessages(T0 * 2, 100),
    conversations: await Promise.all(clientIds.map((id) => storage.messages.page(id, { limit: 100_000 }))),
  }
}

const CONVERSATIONS = ['Talk', 'Waits', 'Answered', 'Erased', 'ErasedAgain'].map(clientId)

async function bytesOf(found: Awaited<ReturnType<Stores['uploadFiles']['open']>>): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of found?.stream ?? []) chunks.push(chunk)
  return Buffer.concat(chunks).toString('base64')
}
