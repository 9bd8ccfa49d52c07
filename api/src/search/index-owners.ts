import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Message } from '@proctorpass/shared/schemas/chat'
import type { ActivityRecord } from '../storage/model/conversation/conversation.ts'
import type { EditData } from '../storage/model/conversation/edits.ts'
import { wordsOf } from '../storage/model/conversation/entries.ts'
import type { MessagePage } from '../storage/model/conversation/messages.ts'
import {
  contactText,
  type IndexedText,
  type IndexProgress,
  type IndexUpdate,
  SEARCH_TAGS,
  visitorText,
} from '../storage/model/search.ts'
import type { Storage } from '../storage/model/storage.ts'
import { indexTermsOf } from './elements.ts'

/**
 * The limits for one batch's texts, terms, and owners, which take some milliseconds. The last text may exceed the
 * terms.
 */
const TEXTS_AT_ONCE = 100
const TERMS_AT_ONCE = 4_000
const OWNERS_AT_ONCE = 50
/** How many characters are turned into terms before other requests run, which takes some milliseconds. */
const CHARACTERS_AT_ONCE = 2_000

export type OwnerKind = 'conversation' | 'contact'

type Text = Omit<IndexedText, 'terms' | 'formerTerms'> & {
  /** The progress once the text is indexed. */
  reached?: Partial<Pick<IndexProgress, 'seq' | 'n'>>
  text: string
  /** The terms that do not depend on the text. */
  tags?: readonly string[]
  /** The text before the change, if it has changed. */
  former?: string
}

/** An owner's texts to index: messages, then notes, then the visitor's fields. */
interface Read {
  texts: Text[]
  /** The progress before and after these texts. Null if there is nothing to index. */
  progress: { before: IndexProgress; after: IndexProgress } | null
  more: boolean
}

/**
 * Brings the index up to date for some of the owners, in one batch. Removes them from the map, unless some of their
 * texts are left or the batch fails. Returns how many it removed.
 */
export async function indexSome(storage: Storage, owners: Map<string, OwnerKind>): Promise<number> {
  const batch = [...owners].slice(0, OWNERS_AT_ONCE)
  for (const [owner] of batch) owners.delete(owner)
  try {
    const left = await indexBatch(storage, batch)
    for (const [owner, kind] of left) owners.set(owner, kind)
    return batch.length - left.length
  } catch (error) {
    for (const [owner, kind] of batch) owners.set(owner, kind)
    throw error
  }
}

/** Returns the owners that have texts left to index. */
async function indexBatch(storage: Storage, batch: [string, OwnerKind][]): Promise<[string, OwnerKind][]> {
  const known = await storage.search.progressOf(batch.map(([owner]) => owner))
  const updates: IndexUpdate[] = []
  const left: [string, OwnerKind][] = []
  const makeTerms = createTermMaker()
  let texts = 0
  let terms = 0
  for (const [owner, kind] of batch) {
    if (texts >= TEXTS_AT_ONCE || terms >= TERMS_AT_ONCE) {
      left.push([owner, kind])
      continue
    }
    const read = await READERS[kind](storage, owner, known.get(owner))
    const indexed: IndexedText[] = []
    const reached: Text['reached'] = {}
    for (const { text, tags = [], former, reached: toHere, ...place } of read.texts) {
      if (terms >= TERMS_AT_ONCE) break
      const formerTerms = former === undefined ? undefined : [...tags, ...(await makeTerms(former))]
      Object.assign(reached, toHere)
      const ownTerms = [...tags, ...(await makeTerms(text))]
      const added = { ...place, terms: ownTerms, ...(formerTerms && { formerTerms }) }
      indexed.push(added)
      terms += added.terms.length
    }
    texts += indexed.length
    const isWhole = indexed.length === read.texts.length
    if (read.more || !isWhole) left.push([owner, kind])
    if (read.progress === null) continue
    const { before, after } = read.progress
    const progress = isWhole ? after : { ...before, epoch: after.epoch, ...reached }
    updates.push({ owner, ...progress, texts: indexed })
  }
  if (updates.length > 0) await storage.search.put(updates)
  return left
}

/**
 * Creates a function that makes one text's terms after another, and lets other requests run in between and before the
 * terms are stored.
 */
function createTermMaker(): (text: string) => Promise<string[]> {
  let characters = 0
  return async (text) => {
    const terms = indexTermsOf(text)
    characters += text.length
    if (characters >= CHARACTERS_AT_ONCE) {
      characters = 0
      await nextTurn()
    }
    return terms
  }
}

/** The progress of a contact message, which has no history. */
const NONE: IndexProgress = { epoch: '', seq: 0, n: 0, visitor: '' }

type Reader = (storage: Storage, owner: string, known: IndexProgress | undefined) => Promise<Read>

const READERS: Record<OwnerKind, Reader> = {
  async conversation({ messages, inbox, visitors, search }, owner, known) {
    const page = await messages.page(owner, { after: known?.seq ?? 0, limit: TEXTS_AT_ONCE })
    if (page === null || (known !== undefined && known.epoch !== page.epoch)) {
      const gone = await search.forget(owner)
      return { texts: [], progress: null, more: page !== null || !gone }
    }
    const log = await inbox.activity(owner, { after: known?.n ?? 0, limit: TEXTS_AT_ONCE })
    const visitor = await visitors.find(owner)
    const edits = await editedTexts(messages, page, log.activity)
    const texts: Text[] = page.messages.map((message) => edits.get(message.seq) ?? textOfMessage(message))
    for (const { seq } of page.messages) edits.delete(seq)
    texts.push(...log.activity.flatMap((entry) => textOfEntry(entry, edits)))
    const before = known ?? { epoch: page.epoch, seq: 0, n: 0, visitor: '' }
    const current = visitorText(owner, { seq: page.seq, visitor })
    if (current !== before.visitor) {
      const newest = async () => (await messages.page(owner, { limit: 1 }))?.messages[0]?.createdAt ?? 0
      const at = visitor?.lastSeenAt ?? new Date(await newest()).getTime()
      texts.push({ type: 'visitor', n: 0, at, text: current, former: before.visitor })
    }
    const after = {
      epoch: page.epoch,
      seq: page.more ? (page.messages.at(-1)?.seq ?? page.seq) : page.seq,
      n: log.more ? (log.activity.at(-1)?.n ?? log.n) : log.n,
      visitor: current,
    }
    return { texts, progress: { before, after }, more: page.more || log.more }
  },

  async contact({ contacts, search }, owner) {
    const contact = await contacts.findById(owner)
    if (contact === null) return { texts: [], progress: null, more: !(await search.forget(owner)) }
    return {
      texts: [{ type: 'contact', n: 0, at: contact.createdAt, text: contactText(contact) }],
      progress: { before: NONE, after: NONE },
      more: false,
    }
  },
}

function textOfMessage({ seq, clientId, senderId, via, attachments, createdAt, message }: Message): Text {
  const tags = [
    senderId === clientId ? SEARCH_TAGS.visitor : SEARCH_TAGS.author(senderId),
    via === 'mail' ? SEARCH_TAGS.mail : SEARCH_TAGS.chat,
    ...(attachments === undefined ? [] : [SEARCH_TAGS.file]),
  ]
  return { type: 'message', n: seq, at: Date.parse(createdAt), text: message, tags, reached: { seq } }
}

/**
 * Reads the messages that these entries corrected, with the words that the index may have of them. They are read after the
 * entries, so their words are at least as new. Messages beyond the page are indexed with a later one.
 */
async function editedTexts(
  messages: Pick<Storage['messages'], 'page'>,
  page: Pick<MessagePage, 'clientId' | 'epoch' | 'seq' | 'messages' | 'more'>,
  activity: readonly ActivityRecord[],
): Promise<Map<number, Text>> {
  const end = page.more ? (page.messages.at(-1)?.seq ?? 0) : page.seq
  const earlier = new Map<number, string[]>()
  for (const { kind, data } of activity) {
    if (kind !== 'edit') continue
    const { seq, text } = data as EditData
    if (seq <= end) earlier.set(seq, [...(earlier.get(seq) ?? []), text])
  }
  const texts = new Map<number, Text>()
  for (const [seq, words] of earlier) {
    const found = await messages.page(page.clientId, { after: seq - 1, limit: 1 })
    const [message] = found?.epoch === page.epoch ? found.messages : []
    if (message?.seq !== seq) continue
    // A process that died may have indexed the newest words already.
    texts.set(seq, { ...textOfMessage(message), former: [...words, message.message].join('\n') })
  }
  return texts
}

/**
 * Returns the text that an entry adds to the index or changes there, and removes it from `edits`. A mail that did not
 * become a message is found as a note.
 */
function textOfEntry(entry: ActivityRecord, edits: Map<number, Text>): Text[] {
  const { kind, n, at, by, data } = entry
  if (kind === 'edit') {
    const { seq } = data as EditData
    const edited = edits.get(seq)
    // Its first entry indexes the newest words, so later ones need not.
    edits.delete(seq)
    return edited === undefined ? [] : [{ ...edited, reached: { n } }]
  }
  const text = wordsOf(entry)
  const tags = by === null ? [] : [SEARCH_TAGS.author(by)]
  return text === null ? [] : [{ type: 'note', n, at, text, tags, reached: { n } }]
}
