import {
  type Foreign,
  type ForeignConversation,
  type ForeignItem,
  fileLine,
  idIn,
  isObject,
  type Json,
  listIn,
  objectIn,
  textIn,
  timeIn,
  withFiles,
} from './foreign.ts'
import { type JsonRecord, jsonRecords } from './json-records.ts'
import { LeftOutList } from './left-out.ts'
import { htmlAsText } from './plain-text.ts'

/** The types of authors who write to the business. */
const VISITORS = new Set<unknown>(['user', 'lead', 'contact', 'visitor'])
/** The parts that only tell of a change, unless they come with a text. */
const NOTES = new Set<unknown>(['note', 'note_and_reopen'])
const MESSAGES = new Set<unknown>([
  'comment',
  'open',
  'close',
  'assignment',
  'assign_and_reopen',
  'quick_reply',
])

type Contacts = Map<string, { place: string; name: string | null; email: string | null; isUsed: boolean }>

/** Reads conversations with their parts, and the contacts beside them, as Intercom's REST tells them. */
export async function* readIntercom(file: string, leftOut: LeftOutList): AsyncIterable<Foreign> {
  const contacts = await contactsIn(file)
  for await (const record of jsonRecords(file, leftOut)) {
    if (isContact(record)) continue
    const { place, value } = record
    const id = idIn(value, 'id')
    if (!isObject(value) || id === null || !('source' in value || 'conversation_parts' in value)) {
      leftOut.add(place, 'It is neither a conversation nor a contact')
      continue
    }
    yield { kind: 'conversation', conversation: conversationOf(value, id, contacts, leftOut) }
  }
  for (const { place, isUsed } of contacts.values())
    if (!isUsed) leftOut.add(place, 'The person has no conversation')
}

function isContact({ list, value }: JsonRecord): boolean {
  return list === 'contacts' || (isObject(value) && VISITORS.has(value.type) && !('source' in value))
}

/** Contacts can stand behind the conversations that name them, so they are read first. */
async function contactsIn(file: string): Promise<Contacts> {
  const contacts: Contacts = new Map()
  for await (const record of jsonRecords(file, new LeftOutList())) {
    const { value } = record
    const id = idIn(value, 'id')
    if (id === null || !isContact(record)) continue
    const place = `contact ${id}`
    contacts.set(id, { place, name: textIn(value, 'name'), email: textIn(value, 'email'), isUsed: false })
  }
  return contacts
}

function conversationOf(
  value: Json,
  id: string,
  contacts: Contacts,
  leftOut: LeftOutList,
): ForeignConversation {
  const place = `conversation ${id}`
  const source = objectIn(value, 'source')
  const parts = listIn(objectIn(value, 'conversation_parts'), 'conversation_parts')
  const authors = [source, ...parts].map((part) => objectIn(part, 'author'))
  const person = authors.find(({ type }) => VISITORS.has(type)) ?? {}
  const named = listIn(objectIn(value, 'contacts'), 'contacts')[0]
  const personId = idIn(named, 'id') ?? idIn(person, 'id')
  const known = contacts.get(personId ?? '')
  if (known !== undefined) known.isUsed = true
  const first = { ...source, part_type: 'comment', created_at: value.created_at }
  const isClosed = value.state === 'closed' || (value.state === undefined && value.open === false)
  return {
    ...{ id, place, personId, status: isClosed ? 'resolved' : 'open' },
    name: textIn(person, 'name') ?? known?.name ?? null,
    email: textIn(person, 'email') ?? known?.email ?? null,
    items: [
      ...('source' in value
        ? itemOf(first, `${place}, source`, `source ${idIn(source, 'id') ?? ''}`, leftOut)
        : []),
      ...parts.flatMap((part) => {
        const partId = idIn(part, 'id')
        return itemOf(part, `${place}, part ${partId ?? 'without an ID'}`, partId, leftOut)
      }),
    ],
  }
}

function itemOf(part: Json, place: string, id: string | null, leftOut: LeftOutList): ForeignItem[] {
  const type = part.part_type
  const isNote = NOTES.has(type)
  if (!isNote && !MESSAGES.has(type)) {
    leftOut.add(place, `Its type is ${String(type)}`)
    return []
  }
  const body = textIn(part, 'body')
  const files = listIn(part, 'attachments').map((file) => fileLine(textIn(file, 'name'), textIn(file, 'url')))
  if (body === null && files.length === 0) {
    leftOut.add(place, `Its type is ${String(type)}, and it has no text`)
    return []
  }
  const author = objectIn(part, 'author')
  const isVisitor = VISITORS.has(author.type) && !isNote
  return [
    {
      ...{ id, place, isNote, at: timeIn(part, 'created_at', 1_000) },
      from: isVisitor ? 'visitor' : { name: textIn(author, 'name'), email: textIn(author, 'email') },
      text: withFiles(body === null ? null : htmlAsText(body), files),
    },
  ]
}
