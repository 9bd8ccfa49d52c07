import { createHash } from 'node:crypto'
import { AppError } from '@proctorpass/shared/errors'
import { ATTACHMENTS_MAX, CONTACT_MESSAGE_MAX, CONTACT_TITLE_MAX } from '@proctorpass/shared/limits'
import type { MailEntryData } from '@proctorpass/shared/schemas/inbox'
import type { Attachments } from '../../chat/attachments.ts'
import type { Chat } from '../../chat/chat.ts'
import type { KeyedHash } from '../../credentials/store-secret.ts'
import type { InboundSettings } from '../../env/inbound-settings.ts'
import { firstCharacters } from '../../storage/model/conversation/rows.ts'
import type { LinkRecord } from '../../storage/model/links.ts'
import type { Storage } from '../../storage/model/storage.ts'
import type { Links } from '../links.ts'
import { addressIdOf } from '../mailboxes.ts'
import { isDomainVerified } from './authentication.ts'
import { type Announced, createMailBudget } from './mail-budget.ts'
import {
  isAutomatic,
  leftOutNames,
  leftOutNote,
  ownIdHash,
  storable,
  textsOf,
  tokensIn,
} from './mail-rules.ts'
import { isReport, type MailFile, type MailHead, type ParsedMail } from './parse-mail.ts'
import { type ParseMail, readHeadInThread } from './parser.ts'
import { asciiLowerCase } from './sender.ts'

/** Longer than a reply token is valid, so the server knows which mails it has read while their tokens work. */
export const REMEMBERED_MS = 400 * 24 * 60 * 60 * 1_000
/** Stands for the sender of a mail without exactly one sender; no mail reaches this address. */
const NO_SENDER = 'unknown@sender.invalid'

/** What became of a mail, as the log reports it. */
export type MailOutcome =
  | ('message' | 'entry' | 'contact' | 'bounce')
  | 'known'
  /** Nothing was stored, and the mail is not read again. */
  | { skipped: string }

/** Stores what a mail says. Calling it again stores nothing twice, even if the process died during the first call. */
export type TakeMail = (raw: Uint8Array, arrivedAt: number) => Promise<MailOutcome>

interface MailInDeps {
  storage: Pick<Storage, 'mails' | 'inbox' | 'visitors' | 'contacts' | 'addresses' | 'conversations'>
  chat: Pick<Chat, 'receive' | 'inbox'>
  attachments: Pick<Attachments, 'receive'>
  links: Pick<Links, 'findConversation'>
  /** Whether visitors may send files at the moment. */
  mayHaveFiles: () => Promise<boolean>
  hash: KeyedHash
  parse: ParseMail
  settings: Pick<InboundSettings, 'replyAddress' | 'authservId'>
  /** The address in MAIL_FROM. */
  mailFrom: string
  supportEmail: string
  rateLimits: boolean
  now: () => number
}

interface Arrived extends Omit<Announced, 'head'> {
  mail: ParsedMail
}

/** @see docs/decisions/0064-answers-by-mail.md */
export function createMailIn(deps: MailInDeps): TakeMail {
  const { storage, chat, attachments, links, hash: keyed, now } = deps
  const { replyAddress, authservId } = deps.settings
  const budget = createMailBudget({ storage, keyed, rateLimits: deps.rateLimits, now })
  const mailDomain = deps.mailFrom.slice(deps.mailFrom.lastIndexOf('@') + 1)
  const own = new Set(
    [deps.mailFrom, replyAddress, deps.supportEmail].map((address) => address.toLowerCase()),
  )

  async function findLink(head: MailHead): Promise<LinkRecord | null> {
    for (const token of tokensIn(head.to, replyAddress)) {
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
      // The visitor may have given another address since.
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
    const { text, quoted } = textsOf(mail)
    const leftOut = namesOf(mail.files)
    const data: MailEntryData = {
      from: mail.from ?? NO_SENDER,
      text: text || subjectOf(mail) || '(empty)',
      verified,
      ...(quoted === '' ? {} : { quoted }),
      ...(automatic ? { automatic } : {}),
      ...(leftOut.length === 0 ? {} : { leftOut: leftOutNames(leftOut) }),
    }
    const nonce = `mail-${hash}`
    const added = await storage.inbox.addMail({ clientId, epoch, nonce, data, at: now() })
    if (added.outcome === 'missing') return takeContact(deps, arrived)
    if (added.outcome === 'stored') chat.inbox.activityStored(added.activity)
    return 'entry'
  }

  /** Stores the files that a message can have. `leftOut` has the names of the others. */
  async function storeFiles({ mail }: Arrived, clientId: string, nonce: string, rest: string) {
    const ids: string[] = []
    const leftOut: MailFile[] = []
    const mayHave = await deps.mayHaveFiles()
    const room = rest === '' ? ATTACHMENTS_MAX : ATTACHMENTS_MAX - 1
    const numbered = mail.files.map((file, index) => ({ file, index }))
    // Files that a person attached come before a signature's logos.
    for (const { file, index } of numbered.sort(
      (a, b) => Number(a.file.isDecoration) - Number(b.file.isDecoration),
    )) {
      const input = { name: file.name, bytes: Buffer.from(file.bytes), isRest: false }
      const isWanted = mayHave && ids.length < room
      const stored = isWanted ? await storeFile({ clientId, nonce: `${nonce}-${index}`, file: input }) : null
      if (stored === null) leftOut.push(file)
      else ids.push(stored)
    }
    if (rest !== '') {
      const file = { name: 'Rest of the email.txt', bytes: Buffer.from(rest), isRest: true }
      const stored = await storeFile({ clientId, nonce: `${nonce}-rest`, file })
      if (stored !== null) ids.push(stored)
    }
    return { ids, leftOut: namesOf(leftOut) }
  }

  /** Resolves to null if the rules for files refuse the file. */
  async function storeFile(input: Parameters<Attachments['receive']>[0]): Promise<string | null> {
    try {
      return (await attachments.receive(input))._id
    } catch (error) {
      // The error ends this reading, and the mail is read again later.
      if (!(error instanceof AppError) || error.code === 'unavailable' || error.code === 'internal')
        throw error
      return null
    }
  }

  async function takeAnswer(arrived: Arrived, link: LinkRecord): Promise<MailOutcome> {
    const { mail, hash } = arrived
    const { clientId, epoch } = link
    const nonce = `mail-${sha256(`${mail.messageId ?? hash} ${clientId}`)}`
    const { text, quoted, rest } = textsOf(mail)
    const { ids, leftOut } = await storeFiles(arrived, clientId, nonce, rest)
    const isEmpty = text === '' && ids.length === 0
    const received = await chat.receive({
      ...{ clientId, epoch, quoted, attachments: ids, nonce, from: `mail ${mail.from}` },
      // A mail without words is shown by its subject and the names of its files.
      text: isEmpty ? inParagraphs(subjectOf(mail), leftOutNote(leftOut)) || '(empty)' : text,
    })
    switch (received.outcome) {
      case 'stored':
      // The same Message-ID with other bytes means that the mail arrived by two routes.
      case 'repeated':
      case 'nonce-taken':
      case 'file-used': {
        if (!isEmpty) await addLeftOut(link, nonce, leftOut)
        return received.outcome === 'stored' ? 'message' : 'known'
      }
      case 'stale-epoch':
        return takeContact(deps, arrived)
      case 'unknown-file':
        throw new AppError('unavailable', "One of the mail's files expired in the meantime.")
      case 'blocked':
      case 'full':
        return addEntry(arrived, link)
    }
  }

  /** Adds one entry beside the message, because the message itself holds only the visitor's words. */
  async function addLeftOut({ clientId, epoch }: LinkRecord, nonce: string, names: string[]): Promise<void> {
    if (names.length === 0) return
    const data = { leftOut: leftOutNames(names) }
    const added = await storage.inbox.addMail({ clientId, epoch, nonce, data, at: now() })
    if (added.outcome === 'stored') chat.inbox.activityStored(added.activity)
  }

  async function take(arrived: Arrived): Promise<MailOutcome> {
    const { mail, automatic, link } = arrived
    if (mail.failed !== null) return takeBounce(mail.failed)
    if (link === null) {
      const isProgram = automatic || mail.isReaction
      return isProgram ? { skipped: 'automatic' } : takeContact(deps, arrived)
    }
    if (automatic) return addEntry(arrived, link)
    const email = (await storage.visitors.find(link.clientId))?.email
    const verified = arrived.verified && mail.from === asciiLowerCase(email ?? '')
    return verified && !mail.isReaction ? takeAnswer(arrived, link) : addEntry({ ...arrived, verified }, link)
  }

  /** The headers are read first, so a sender that has used its share does not get a body read. */
  async function read(raw: Uint8Array, hash: string, at: number): Promise<MailOutcome> {
    const head = await readHeadInThread(raw)
    if (head === null) return { skipped: 'malformed' }
    const isOwn = own.has(head.from ?? '') || ownIdHash(head.messageId ?? '', mailDomain) !== null
    if (isOwn && !isReport(head)) return { skipped: 'from an own address' }
    const domain = head.from?.slice(head.from.lastIndexOf('@') + 1) ?? ''
    const verified = domain !== '' && isDomainVerified(head.headers, authservId, domain)
    const link = await findLink(head)
    const automatic = isAutomatic(head.headers, link !== null)
    const announced = { hash, at, verified, automatic, link }
    if (!(await budget.hasPlace({ ...announced, head }))) return { skipped: 'too many' }
    if (!(await budget.mayBegin(hash))) return { skipped: 'begun twice, and not finished' }
    const mail = await deps.parse(raw)
    return 'problem' in mail ? { skipped: mail.problem } : take({ ...announced, mail })
  }

  return async (raw, arrivedAt) => {
    const hash = createHash('sha256').update(raw).digest('base64url')
    if (await storage.mails.has(hash)) return 'known'
    const outcome = await read(raw, hash, arrivedAt)
    // The hash is stored after what the mail says. If the process dies in between, the mail is read again, and its
    // nonce is known.
    await storage.mails.add({ hash, expiresAt: now() + REMEMBERED_MS }, now())
    budget.ended(hash)
    return outcome
  }
}

/** Stores a mail that leads to no conversation as a contact message. */
async function takeContact({ storage, now }: MailInDeps, { mail, hash, at }: Arrived): Promise<MailOutcome> {
  const { text, quoted } = mail
  const words = inParagraphs(storable(text), leftOutNote(namesOf(mail.files)), storable(quoted))
  const title = storable(mail.subject).replace(/\s+/g, ' ')
  await storage.contacts.create({
    // The ID is the same on each attempt, and IDs follow the order of arrival.
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

/** Returns the names of the files that a person attached. */
function namesOf(files: readonly MailFile[]): string[] {
  return files.filter(({ isDecoration }) => !isDecoration).map(({ name }) => name)
}

const subjectOf = ({ subject }: MailHead) => firstCharacters(storable(subject), 200)
const inParagraphs = (...parts: string[]) => parts.filter((part) => part !== '').join('\n\n')
const sha256 = (text: string) => createHash('sha256').update(text).digest('base64url')
const hexOf = (hash: string) => Buffer.from(hash, 'base64url').toString('hex')
