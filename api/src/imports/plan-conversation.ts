import { CONTACT_FIELDS } from '@proctorpass/shared/fields/contact'
import { nameProblem } from '@proctorpass/shared/fields/name'
import { IMPORT_NAME_MAX, importAuthor } from '@proctorpass/shared/import-author'
import { MESSAGE_MAX, NOTE_MAX, PROFILE_NAME_MAX } from '@proctorpass/shared/limits'
import { TIME_MAX } from '../storage/model/bounds.ts'
import type {
  ImportedConversation,
  ImportedMessage,
  ImportedNote,
} from '../storage/model/conversation/imports.ts'
import { firstCharacters } from '../storage/model/conversation/rows.ts'
import type { ForeignConversation, ForeignItem, ForeignWriter, Source } from './foreign.ts'
import type { ImportIds } from './import-ids.ts'
import type { LeftOutList } from './left-out.ts'
import { oneLine, partsOfText, plainText } from './plain-text.ts'

/** The most messages and notes in one conversation. */
const ITEMS_MAX = 50_000
const DAY_MS = 24 * 60 * 60 * 1_000

/** The writer's name where another product gives none. */
const UNNAMED: Readonly<Record<Source, string>> = {
  chatwoot: 'Chatwoot',
  intercom: 'Intercom',
  crisp: 'Crisp',
  csv: 'Team',
}

export interface Planned {
  /** The conversation's place in the file. */
  place: string
  conversation: ImportedConversation
  /** The places in the file by nonce. */
  places: ReadonlyMap<string, string>
  /** What identifies the person for counting people. Null if nothing is known about them. */
  person: string | null
}

export interface PlanOptions {
  source: Source
  ids: ImportIds
  /** The user IDs of admins by their addresses in lower case. */
  admins: ReadonlyMap<string, string>
  /** Conversations without a message for so many days are erased. Null for never. */
  retentionDays: number | null
  now: number
  leftOut: LeftOutList
}

/** Returns the conversation as the store will have it, or null with the reason in `leftOut`. */
export function planConversation(foreign: ForeignConversation, options: PlanOptions): Planned | null {
  const { ids, leftOut, retentionDays, now } = options
  const { id, place, status } = foreign
  const clientId = ids.clientId(id)
  const messages: ImportedMessage[] = []
  const notes: ImportedNote[] = []
  const places = new Map<string, string>()
  for (const { item, key, text } of itemsInOrder(foreign, options)) {
    const isOfVisitor = item.from === 'visitor'
    const author = isOfVisitor ? clientId : authorOf(item.from as ForeignWriter, options)
    for (const [part, words] of partsOfText(text, item.isNote ? NOTE_MAX : MESSAGE_MAX).entries()) {
      const nonce = ids.nonce(id, key, part)
      places.set(nonce, item.place)
      if (item.isNote) notes.push({ by: author, text: words, at: item.at, afterSeq: messages.length, nonce })
      else messages.push({ senderId: author, message: words, createdAt: item.at, nonce })
    }
  }
  const lastAt = messages.at(-1)?.createdAt
  if (lastAt === undefined) {
    leftOut.add(place, 'It has no messages')
    return null
  }
  if (messages.length + notes.length > ITEMS_MAX) {
    leftOut.add(place, 'It has more than 50,000 messages and notes')
    return null
  }
  if (retentionDays !== null && lastAt <= now - retentionDays * DAY_MS) {
    leftOut.add(
      place,
      `Its newest message is older than the ${retentionDays} days for which the settings keep conversations`,
    )
    return null
  }
  const { name, email } = personOf(foreign, leftOut)
  const known = foreign.personId ?? email?.toLowerCase() ?? id
  return {
    place,
    conversation: { clientId, keyHash: ids.keyHash(id), status, name, email, messages, notes },
    places,
    person: name === null && email === null ? null : known,
  }
}

/** Returns the items that can be stored in the order of their times, each once, with the key of its nonce. */
function itemsInOrder(
  { items }: ForeignConversation,
  { now, leftOut }: PlanOptions,
): { item: ForeignItem; key: string; text: string }[] {
  const known = new Map<string, string>()
  const counts = new Map<string, number>()
  const kept: { item: ForeignItem; key: string; text: string }[] = []
  for (const item of items) {
    const { at, place } = item
    const text = plainText(item.text)
    const problem = problemWith(at, text, now)
    if (problem !== null) {
      leftOut.add(place, problem)
      continue
    }
    const content = JSON.stringify([at, item.from, item.isNote, text])
    if (item.id === null) {
      // Equal rows without an ID are told apart by their number.
      const count = (counts.get(content) ?? 0) + 1
      counts.set(content, count)
      kept.push({ item, key: `${content} ${count}`, text })
      continue
    }
    const before = known.get(item.id)
    if (before === undefined) {
      known.set(item.id, content)
      kept.push({ item, key: item.id, text })
    } else if (before !== content) leftOut.add(place, 'Another message of this conversation has its ID')
  }
  return kept.sort((a, b) => a.item.at - b.item.at)
}

function problemWith(at: number, text: string, now: number): string | null {
  if (!Number.isInteger(at) || at <= 0 || at > TIME_MAX) return 'Its time cannot be read'
  if (at > now) return 'Its time is in the future'
  return text === '' ? 'It has no text' : null
}

function authorOf({ name, email }: ForeignWriter, { admins, source }: PlanOptions): string {
  const admin = admins.get(email?.trim().toLowerCase() ?? '')
  if (admin !== undefined) return admin
  const known = oneLine(name ?? '') || oneLine(email ?? '') || UNNAMED[source]
  return importAuthor(firstCharacters(known, IMPORT_NAME_MAX))
}

function personOf({ place, ...person }: ForeignConversation, leftOut: LeftOutList) {
  let name: string | null = oneLine(person.name ?? '') || null
  let email: string | null = person.email?.trim() || null
  const problemWithName = name === null ? null : nameProblem(name, PROFILE_NAME_MAX)
  if (problemWithName !== null) {
    leftOut.add(`${place}, name`, `The product does not accept the name: ${problemWithName}`)
    name = null
  }
  if (email !== null && CONTACT_FIELDS.email.problem(email) !== null) {
    leftOut.add(`${place}, email`, 'The email address is not valid')
    email = null
  }
  return { name, email }
}
