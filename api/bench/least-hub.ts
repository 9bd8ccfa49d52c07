/**
 * The least hub: the least that can be written while every acknowledged message is on disk, once, in order. One insert
 * for each message under unique (clientId, seq) and unique nonces, numbers from memory, the same frames to the same
 * rooms. It cannot list conversations, count unread messages or start again.
 */
import type { Message } from '@proctorpass/shared/schemas/chat'
import { newEpoch, newId } from '../src/storage/model/ids.ts'
import { openYardstick, type Send, serveYardstick } from './yardstick-hub.ts'

const db = openYardstick()
db.exec(`
  CREATE TABLE messages (
    clientId  TEXT NOT NULL,
    seq       INTEGER NOT NULL,
    _id       TEXT NOT NULL,
    senderId  TEXT NOT NULL,
    message   TEXT NOT NULL,
    createdAt INTEGER NOT NULL,
    epoch     TEXT NOT NULL,
    nonce     TEXT NOT NULL,
    PRIMARY KEY (clientId, seq),
    UNIQUE (clientId, nonce)
  ) STRICT, WITHOUT ROWID
`)
const insert = db.prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
const conversations = new Map<string, { epoch: string; seq: number }>()

function store({ clientId, senderId, message, nonce }: Send): Message {
  let conversation = conversations.get(clientId)
  if (conversation === undefined) {
    conversation = { epoch: newEpoch(), seq: 0 }
    conversations.set(clientId, conversation)
  }
  conversation.seq += 1
  const { epoch, seq } = conversation
  const at = Date.now()
  const _id = newId(at)
  insert.run(clientId, seq, _id, senderId, message, at, epoch, nonce)
  return { _id, clientId, senderId, message, createdAt: new Date(at).toISOString(), seq, epoch, nonce }
}

await serveYardstick(db, store)
