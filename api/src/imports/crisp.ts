import {
  type Foreign,
  type ForeignItem,
  fileLine,
  idIn,
  isObject,
  type Json,
  listIn,
  objectIn,
  textIn,
  timeIn,
} from './foreign.ts'
import { jsonRecords } from './json-records.ts'
import type { LeftOutList } from './left-out.ts'

const TEXTS = new Set<unknown>(['text', 'note'])
const FILES = new Set<unknown>(['file', 'audio', 'animation'])

/** Reads conversations with their messages, and shortcuts, as Crisp's REST tells them. */
export async function* readCrisp(file: string, leftOut: LeftOutList): AsyncIterable<Foreign> {
  for await (const { place, list, value } of jsonRecords(file, leftOut)) {
    if (list === 'shortcuts' || (isObject(value) && 'bang' in value)) {
      const shortcut = textIn(value, 'bang')
      const text = textIn(value, 'text')
      if (shortcut === null || text === null) leftOut.add(place, 'The shortcut has no bang or no text')
      else yield { kind: 'reply', reply: { place: `shortcut ${shortcut}`, shortcut, text } }
      continue
    }
    const id = idIn(value, 'session_id')
    if (!isObject(value) || id === null) {
      leftOut.add(place, 'It is neither a conversation nor a shortcut')
      continue
    }
    yield { kind: 'conversation', conversation: conversationOf(value, id, leftOut) }
  }
}

function conversationOf(value: Json, id: string, leftOut: LeftOutList) {
  const place = `conversation ${id}`
  const person = objectIn(value, 'meta')
  const isResolved = value.state === 'resolved' || (value.state === undefined && value.status === 2)
  return {
    ...{ id, place, status: isResolved ? ('resolved' as const) : ('open' as const) },
    name: textIn(person, 'nickname'),
    email: textIn(person, 'email'),
    personId: idIn(value, 'people_id'),
    items: listIn(value, 'messages').flatMap((message) => itemOf(message, place, leftOut)),
  }
}

function itemOf(message: Json, conversation: string, leftOut: LeftOutList): ForeignItem[] {
  const id = idIn(message, 'fingerprint')
  const place = `${conversation}, message ${id ?? 'without a fingerprint'}`
  const { type, content } = message
  const isFile = FILES.has(type)
  if (!isFile && !TEXTS.has(type)) {
    leftOut.add(place, `Its type is ${String(type)}`)
    return []
  }
  const { from } = message
  if (from !== 'user' && from !== 'operator') {
    leftOut.add(place, `It is from ${String(from)}`)
    return []
  }
  const isNote = type === 'note'
  const user = objectIn(message, 'user')
  return [
    {
      ...{ id, place, isNote, at: timeIn(message, 'timestamp', 1) },
      from:
        from === 'user' && !isNote
          ? 'visitor'
          : { name: textIn(user, 'nickname'), email: textIn(user, 'email') },
      text: isFile
        ? fileLine(textIn(content, 'name'), textIn(content, 'url'))
        : typeof content === 'string'
          ? content
          : '',
    },
  ]
}
