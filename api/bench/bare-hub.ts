/**
 * The bare hub: the product's own tables and statements for a message, read from the database and written each time.
 * What the product costs beyond this is what its features around the store cost.
 */
import type { Message } from '@proctorpass/shared/schemas/chat'
import { newEpoch, newId } from '../src/storage/model/ids.ts'
import { migrate } from '../src/storage/sqlite/schema.ts'
import { openYardstick, type Send, serveYardstick } from './yardstick-hub.ts'

const db = openYardstick()
migrate(db)

const sql = {
  find: db.prepare('SELECT * FROM conversations WHERE clientId = ?'),
  insertMessage: db.prepare(
    `INSERT INTO messages (clientId, seq, _id, senderId, message, createdAt, epoch, nonce, visitorCount)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (clientId, nonce) DO NOTHING`,
  ),
  insertConversation: db.prepare(
    `INSERT INTO conversations (clientId, epoch, seq, lastAt, visitorCount, waitingSince)
     VALUES (?, ?, ?, ?, ?, ?)`,
  ),
  moveConversation: db.prepare(
    'UPDATE conversations SET seq = ?, lastAt = ?, visitorCount = ?, waitingSince = ? WHERE clientId = ?',
  ),
}

interface Conversation {
  epoch: string
  seq: number
  lastAt: number
  visitorCount: number
  waitingSince: number | null
}

function store({ clientId, senderId, message, nonce }: Send): Message {
  const found = sql.find.get(clientId) as Conversation | undefined
  const fromVisitor = senderId === clientId
  const epoch = found?.epoch ?? newEpoch()
  const seq = (found?.seq ?? 0) + 1
  const at = Math.max(Date.now(), found?.lastAt ?? 0)
  const visitorCount = (found?.visitorCount ?? 0) + (fromVisitor ? 1 : 0)
  const waitingSince = fromVisitor ? (found?.waitingSince ?? at) : null
  const _id = newId(at)
  sql.insertMessage.run(clientId, seq, _id, senderId, message, at, epoch, nonce, visitorCount)
  if (found === undefined) {
    sql.insertConversation.run(clientId, epoch, seq, at, visitorCount, waitingSince)
  } else {
    sql.moveConversation.run(seq, at, visitorCount, waitingSince, clientId)
  }
  return { _id, clientId, senderId, message, createdAt: new Date(at).toISOString(), seq, epoch, nonce }
}

await serveYardstick(db, store)
