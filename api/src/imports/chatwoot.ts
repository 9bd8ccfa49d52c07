import {
  type Foreign,
  type ForeignItem,
  type ForeignWriter,
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
import { jsonRecords } from './json-records.ts'
import type { LeftOutList } from './left-out.ts'
import { htmlAsText } from './plain-text.ts'

const INCOMING = new Set<unknown>([0, 'incoming'])
const OUTGOING = new Set<unknown>([1, 'outgoing'])
/** A type's name by its number. */
const TYPES: Readonly<Record<string, string>> = { 2: 'activity', 3: 'template' }
/** The content types whose content is a text. */
const TEXTS = new Set<unknown>([undefined, null, 'text', 'incoming_email'])

/** Reads conversations with their messages, and canned responses, as Chatwoot's REST tells them. */
export async function* readChatwoot(file: string, leftOut: LeftOutList): AsyncIterable<Foreign> {
  for await (const { place, list, value } of jsonRecords(file, leftOut)) {
    if (list === 'canned_responses' || (isObject(value) && 'short_code' in value)) {
      const shortcut = textIn(value, 'short_code')
      const text = textIn(value, 'content')
      if (shortcut === null || text === null)
        leftOut.add(place, 'The canned response has no short code or no text')
      else yield { kind: 'reply', reply: { place: `canned response ${shortcut}`, shortcut, text } }
      continue
    }
    const id = idIn(value, 'id')
    if (!isObject(value) || id === null || list === 'contacts') {
      leftOut.add(place, 'It is neither a conversation nor a canned response')
      continue
    }
    yield { kind: 'conversation', conversation: conversationOf(value, id, leftOut) }
  }
}

function conversationOf(value: Json, id: string, leftOut: LeftOutList) {
  const place = `conversation ${id}`
  const person = objectIn(objectIn(value, 'meta'), 'sender')
  const messages = [...listIn(value, 'messages'), ...listIn(objectIn(value, 'messages'), 'payload')]
  return {
    ...{ id, place, status: value.status === 'resolved' ? ('resolved' as const) : ('open' as const) },
    ...{ name: textIn(person, 'name'), email: textIn(person, 'email'), personId: idIn(person, 'id') },
    items: messages.flatMap((message) => itemOf(message, place, leftOut)),
  }
}

function itemOf(message: Json, conversation: string, leftOut: LeftOutList): ForeignItem[] {
  const id = idIn(message, 'id')
  const place = `${conversation}, message ${id ?? 'without an ID'}`
  const { message_type: type, content_type: contentType } = message
  const isVisitor = INCOMING.has(type)
  if (!isVisitor && !OUTGOING.has(type)) {
    leftOut.add(place, `Its type is ${TYPES[String(type)] ?? String(type)}`)
    return []
  }
  if (!TEXTS.has(contentType)) {
    leftOut.add(place, `Its content type is ${String(contentType)}`)
    return []
  }
  const files = listIn(message, 'attachments').map((file) =>
    fileLine(textIn(file, 'file_name') ?? textIn(file, 'fallback_title'), textIn(file, 'data_url')),
  )
  const content = textIn(message, 'content')
  const isNote = message.private === true
  return [
    {
      ...{ id, place, isNote, at: timeIn(message, 'created_at', 1_000) },
      from: isVisitor && !isNote ? 'visitor' : writerOf(objectIn(message, 'sender')),
      text: withFiles(content === null ? null : htmlAsText(content), files),
    },
  ]
}

function writerOf(sender: Json): ForeignWriter {
  return {
    name: textIn(sender, 'available_name') ?? textIn(sender, 'name'),
    email: textIn(sender, 'email'),
  }
}
