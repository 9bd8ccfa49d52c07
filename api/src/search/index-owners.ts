import type { Message } from '@proctorpass/shared/schemas/chat'
import type { ActivityRecord } from '../storage/inbox.ts'
import {
  contactText,
  type IndexedText,
  type IndexProgress,
  type IndexUpdate,
  visitorText,
} from '../storage/search.ts'
import type { Storage } from '../storage/storage.ts'
import { termsOf } from './tokenizer.ts'

/** Texts and owners of one batch, which takes some milliseconds. */
const TEXTS_AT_ONCE = 100
const CHARACTERS_AT_ONCE = 40_000
const OWNERS_AT_ONCE = 50

export type OwnerKind = 'conversation' | 'contact'

type Text = Omit<IndexedText, 'terms'> & { text: string }

/** What is to index of an owner. */
interface Read {
  texts: Text[]
  /** The progress after these texts; null: there is nothing to index. */
  progress: IndexProgress | null
  more: boolean
}

/**
 * Brings the index of some of the owners up to date, in one batch, and removes them from the map unless something of them
 * is left to do. Returns how many it removed.
 */
export async function indexSome(storage: Storage, owners: Map<string, OwnerKind>): Promise<number> {
  const batch = [...owners].slice(0, OWNERS_AT_ONCE)
  for (const [owner] of batch) owners.delete(owner)
  const known = await storage.search.progressOf(batch.map(([owner]) => owner))
  const updates: IndexUpdate[] = []
  let texts = 0
  let characters = 0
  let finished = 0
  for (const [owner, kind] of batch) {
    if (texts >= TEXTS_AT_ONCE || characters >= CHARACTERS_AT_ONCE) {
      owners.set(owner, kind)
      continue
    }
    const read = await READERS[kind](storage, owner, known.get(owner))
    for (const { text } of read.texts) characters += text.length
    texts += read.texts.length
    if (read.more) owners.set(owner, kind)
    else finished += 1
    if (read.progress === null) continue
    const indexed = read.texts.map(({ text, ...place }): IndexedText => ({ ...place, terms: termsOf(text) }))
    updates.push({ owner, ...read.progress, texts: indexed })
  }
  if (updates.length > 0) await storage.search.put(updates)
  return finished
}

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
    const texts = [...page.messages.map(textOfMessage), ...log.activity.flatMap(textOfNote)]
    const said = visitorText(visitor)
    if (said !== (known?.visitor ?? '')) {
      const newest = async () => (await messages.page(owner, { limit: 1 }))?.messages[0]?.createdAt ?? 0
      const at = visitor?.lastSeenAt ?? new Date(await newest()).getTime()
      texts.push({ type: 'visitor', n: 0, at, text: said })
    }
    const progress = {
      epoch: page.epoch,
      seq: page.more ? (page.messages.at(-1)?.seq ?? page.seq) : page.seq,
      n: log.more ? (log.activity.at(-1)?.n ?? log.n) : log.n,
      visitor: said,
    }
    return { texts, progress, more: page.more || log.more }
  },

  async contact({ contacts, search }, owner) {
    const contact = await contacts.findById(owner)
    if (contact === null) return { texts: [], progress: null, more: !(await search.forget(owner)) }
    return {
      texts: [{ type: 'contact', n: 0, at: contact.createdAt, text: contactText(contact) }],
      progress: { epoch: '', seq: 0, n: 0, visitor: '' },
      more: false,
    }
  },
}

function textOfMessage({ seq, createdAt, message }: Message): Text {
  return { type: 'message', n: seq, at: Date.parse(createdAt), text: message }
}

function textOfNote({ kind, n, at, data }: ActivityRecord): Text[] {
  return kind === 'note' ? [{ type: 'note', n, at, text: (data as { text: string }).text }] : []
}
