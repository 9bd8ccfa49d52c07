import { createHash } from 'node:crypto'
import { AppError } from '@proctorpass/shared/errors'
import { ATTACHMENTS_MAX, CONTACT_MESSAGE_MAX, CONTACT_TITLE_MAX } from '@proctorpass/shared/limits'
import type { MailEntryData } from '@proctorpass/shared/schemas/inbox'
import type { Chat } from '../../chat/chat.ts'
import type { Files } from '../../chat/files.ts'
import type { KeyedHash } from '../../credentials/store-secret.ts'
import type { InboundSettings } from '../../env/inbound-settings.ts'
import type { PlaceLimit } from '../../storage/port/addresses.ts'
import type { LinkRecord } from '../../storage/port/links.ts'
import type { Storage } from '../../storage/port/storage.ts'
import { firstCharacters } from '../../storage/rules/chat-rows.ts'
import type { Links } from '../links.ts'
import { addressIdOf } from '../mailboxes.ts'
import { isDomainVerified } from './authentication.ts'
import { isAutomatic, leftOutNote, ownIdHash, storable, textsOf, tokensIn } from './mail-rules.ts'
import type { ParsedMail } from './parse-mail.ts'
import type { ParseMail } from './parser.ts'
import { asciiLowerCase } from './sender.ts'

const HOUR_MS = 60 * 60 * 1_000
const DAY_MS = 24 * HOUR_MS
const OF_CONVERSATION: PlaceLimit = { max: 30, windowMs: HOUR_MS }
const OF_SENDER: PlaceLimit = { max: 200, windowMs: DAY_MS }
/** Longer than a token is valid: mail that is read again by then was read before. */
export const REMEMBERED_MS = 400 * DAY_MS
/** Of a mail without one sender: no mail reaches it. */
const NO_SENDER = 'unknown@sender.invalid'

/** What became of a mail; the log says so. */
export type MailOutcome =
  | ('message' | 'entry' | 'contact' | 'bounce')
  | 'known'
  /** Nothing was stored, for good. */
  | { skipped: string }

/** Stores what a mail says. Repeating it stores nothing twice, also after a process died in between. */
export type TakeMail = (raw: Uint8Array, arrivedAt: number) => Promise<MailOutcome>

interface MailInDeps {
  storage: Pick<Storage, 'mails' | 'inbox' | 'visitors' | 'contacts' | 'addresses' | 'conversations'>
  chat: Pick<Chat, 'receive' | 'inbox'>
  files: Pick<Files, 'receive'>
  links: Pick<Links, 'findConversation'>
  /** Whether visitors may send files now. */
  mayHaveFiles: () => Promise<boolean>
  hash: KeyedHash
  parse: ParseMail
  settings: Pick<InboundSettings, 'replyAddress' | 'authservId'>
  /** The address of MAIL_FROM. */
  mailFrom: string
  supportEmail: string
  rateLimits: boolean
  now: () => number
}

interface Arrived {
  mail: ParsedMail
  /** Of its bytes. */
  hash: string
  at: number
  /** Null: no sender, or not verified by the own mail server. */
  verified: boolean
  automatic: boolean
}

/** @see docs/decisions/0064-answers-by-mail.md */
export function createMailIn(deps: MailInDeps): TakeMail {
  const { storage, chat, files, links, hash: keyed, now } = deps
  const { replyAddress, authservId } = deps.settings
  const mailDomain = deps.mailFrom.slice(deps.mailFrom.lastIndexOf('@') + 1)
  const own = new Set(
    [deps.mailFrom, replyAddress, deps.supportEmail].map((address) => address.toLowerCase()),
  )

  /** False when the sender, or the conversation, has had its share. A repeated mail keeps its place. */
  async function hasPlace({ mail, hash, at, verified }: Arrived, link: LinkRecord | null): Promise<boolean> {
    if (!deps.rateLimits) return true
    const name = await keyed('mail-place', hash)
    // Forged mails take no places of the real sender.
    const of = verified ? 'verified' : 'claimed'
    const sender = await keyed(`mail-sender ${of}`, mail.from ?? '')
    const conversation = link && (await keyed(`mail-conversation ${of}`, link.clientId))
    const isFree = async (id: string, limit: PlaceLimit) =>
      (await storage.addresses.take(id, name, limit, at)) === null
    if (!(await isFree(sender, OF_SENDER))) return false
    return conversation === null || isFree(conversation, OF_CONVERSATION)
  }

  async function findLink(mail: ParsedMail): Promise<LinkRecord | null> {
    for (const token of tokensIn(mail.to, replyAddress)) {
      const link = await links.findConversation({ token })
      if (link === null) continue
      if ((await storage.conversations.find(link.clientId))?.epoch === link.epoch) return link
    }
    return null
  }

  async function takeBounce(failed: readonly string[]): Promise<MailOutcome> {
    for (const messageId of failed) {
      const messageIdHash = ownIdHash(messageId, mailDomain)
      const link = messageIdHash === null ? null : await links.findConversation({ messageIdHash })
      const email = link && (await storage.visitors.find(link.clientId))?.email
      // Another address may stand there by now.
      if (link === null || !email || (await addressIdOf(email, keyed)) !== link.addressId) continue
      const { clientId, epoch } = link
      const activity = await storage.visitors.bounced(clientId, { epoch, email, at: now() })
      if (activity !== null) chat.inbox.activityStored(activity)
      return 'bounce'
    }
    return { skipped: 'a report about no mail of ours' }
  }

  async function addEntry(arrived: Arrived, { clientId, epoch }: LinkRecord): Promise<MailOutcome> {
    const { mail, hash, verified, automatic } = arrived
    const { text, quoted } = textsOf(mail, namesOf(mail))
    const data: MailEntryData = {
      from: mail.from ?? NO_SENDER,
      text: text || firstCharacters(storable(mail.subject), 200) || '(empty)',
      verified,
      ...(quoted === '' ? {} : { quoted }),
      ...(automatic ? { automatic } : {}),
    }
    const nonce = `mail-${hash}`
    const added = await storage.inbox.addMail({ clientId, epoch, nonce, data, at: now() })
    if (added.outcome === 'missing') return takeContact(deps, arrived)
    if (added.outcome === 'stored') chat.inbox.activityStored(added.activity)
    return 'entry'
  }

  /** The files that a message can have. The names of the others are left. */
  async function storeFiles({ mail }: Arrived, clientId: string, nonce: string) {
    const ids: string[] = []
    const leftOut: string[] = []
    const mayHave = await deps.mayHaveFiles()
    for (const [index, { name, bytes }] of mail.files.entries()) {
      // One place is for the rest of a long text.
      const file = { name, bytes: Buffer.from(bytes), isRest: false }
      const isWanted = mayHave && ids.length < ATTACHMENTS_MAX - 1
      const stored = isWanted ? await storeFile({ clientId, nonce: `${nonce}-${index}`, file }) : null
      if (stored === null) leftOut.push(name)
      else ids.push(stored)
    }
    const texts = textsOf(mail, leftOut)
    if (texts.rest !== '') {
      const file = { name: 'Rest of the email.txt', bytes: Buffer.from(texts.rest), isRest: true }
      const stored = await storeFile({ clientId, nonce: `${nonce}-rest`, file })
      if (stored !== null) ids.push(stored)
    }
    return { ids, ...texts }
  }

  /** Null when the rules of files refuse it. */
  async function storeFile(input: Parameters<Files['receive']>[0]): Promise<string | null> {
    try {
      return (await files.receive(input))._id
    } catch (error) {
      // The mail is read again later.
      if (!(error instanceof AppError) || error.code === 'unavailable' || error.code === 'internal')
        throw error
      return null
    }
  }

  async function takeAnswer(arrived: Arrived, link: LinkRecord): Promise<MailOutcome> {
    const { mail, hash } = arrived
    const { clientId, epoch } = link
    const name = `${mail.messageId ?? hash} ${clientId}`
    const nonce = `mail-${createHash('sha256').update(name).digest('base64url')}`
    const { ids, text, quoted } = await storeFiles(arrived, clientId, nonce)
    const isEmpty = text === '' && ids.length === 0
    const received = await chat.receive({
      ...{ clientId, epoch, quoted, attachments: ids, nonce, from: `mail ${mail.from}` },
      text: isEmpty ? firstCharacters(storable(mail.subject), 200) || '(empty)' : text,
    })
    switch (received.outcome) {
      case 'stored':
        return 'message'
      // The same Message-ID in other bytes: it came by two ways.
      case 'repeated':
      case 'nonce-taken':
      case 'file-used':
        return 'known'
      case 'stale-epoch':
        return takeContact(deps, arrived)
      case 'unknown-file':
        throw new AppError('unavailable', 'A file of the mail expired meanwhile.')
      case 'blocked':
      case 'full':
        return addEntry(arrived, link)
    }
  }

  async function take(arrived: Arrived): Promise<MailOutcome> {
    const { mail, automatic } = arrived
    if (mail.failed !== null) return takeBounce(mail.failed)
    const isOwn = own.has(mail.from ?? '') || ownIdHash(mail.messageId ?? '', mailDomain) !== null
    if (isOwn) return { skipped: 'from an own address' }
    const link = await findLink(mail)
    if (automatic && link === null) return { skipped: 'automatic' }
    if (!(await hasPlace(arrived, link))) return { skipped: 'too many' }
    if (link === null) return takeContact(deps, arrived)
    if (automatic) return addEntry(arrived, link)
    const email = (await storage.visitors.find(link.clientId))?.email
    return arrived.verified && mail.from === asciiLowerCase(email ?? '')
      ? takeAnswer(arrived, link)
      : addEntry({ ...arrived, verified: false }, link)
  }

  return async (raw, arrivedAt) => {
    const hash = createHash('sha256').update(raw).digest('base64url')
    if (await storage.mails.has(hash)) return 'known'
    const mail = await deps.parse(raw)
    if ('problem' in mail) return { skipped: mail.problem }
    const domain = mail.from?.slice(mail.from.lastIndexOf('@') + 1) ?? ''
    const verified = domain !== '' && isDomainVerified(mail.headers, authservId, domain)
    const outcome = await take({ mail, hash, at: arrivedAt, verified, automatic: isAutomatic(mail.headers) })
    // Behind what it stored: after a death in between the mail is read again, and its nonce is known.
    await storage.mails.add({ hash, expiresAt: now() + REMEMBERED_MS }, now())
    return outcome
  }
}

/** A mail that leads to no conversation. */
async function takeContact({ storage, now }: MailInDeps, { mail, hash, at }: Arrived): Promise<MailOutcome> {
  const { text, quoted } = mail
  const words = [storable(text), leftOutNote(namesOf(mail)), storable(quoted)]
    .filter((part) => part !== '')
    .join('\n\n')
  const title = storable(mail.subject).replace(/\s+/g, ' ')
  await storage.contacts.create({
    // The same each time, in the order of arrival.
    _id:
      Math.floor(at / 1_000)
        .toString(16)
        .padStart(8, '0')
        .slice(-8) + hexOf(hash).slice(0, 16),
    email: mail.from ?? NO_SENDER,
    title: firstCharacters(title, CONTACT_TITLE_MAX) || 'Email without a subject',
    message: firstCharacters(words, CONTACT_MESSAGE_MAX) || '(empty)',
    createdAt: Math.min(at, now()),
  })
  return 'contact'
}

const namesOf = ({ files }: ParsedMail) => files.map(({ name }) => name)
const hexOf = (hash: string) => Buffer.from(hash, 'base64url').toString('hex')
