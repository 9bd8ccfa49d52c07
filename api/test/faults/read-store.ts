import { isDeepStrictEqual } from 'node:util'
import { type Collection, type Document, MongoClient } from 'mongodb'
import { collectionsOf } from '../../src/storage/mongo/collections.ts'
import { isChange } from './inbox-log.ts'
import type { Ledger } from './ledger.ts'

const ANSWER_MS = 20_000

/** Checks the documents themselves, because the storage could hide a wrong one. Returns how many messages they hold. */
export async function checkDocuments(url: string, ledger: Ledger): Promise<number> {
  const client = await new MongoClient(url).connect()
  try {
    const collections = collectionsOf(client.db())
    const conversations = await collections.conversations.find().toArray()
    const messages = await collections.messages.find().sort({ clientId: 1, seq: 1 }).toArray()
    const byNonce = Map.groupBy(messages, ({ clientId, nonce }) => `${clientId} ${nonce}`)
    for (const [nonce, documents] of byNonce) {
      if (documents.length !== 1) ledger.violation(`${documents.length} documents have the nonce ${nonce}`)
    }
    for (const { clientId, nonce, seq, message, attachments } of ledger.acknowledged.values()) {
      const stored = byNonce.get(`${clientId} ${nonce}`)?.[0]
      const hasFiles = isDeepStrictEqual(stored?.attachments ?? undefined, attachments)
      if (stored?.seq !== seq || (stored.message !== message && !ledger.edits.has(message)) || !hasFiles) {
        ledger.violation(`acknowledged under ${seq}, and in the store: ${JSON.stringify(stored)}`)
      }
    }
    const byConversation = Map.groupBy(messages, ({ clientId }) => clientId)
    for (const { _id, epoch, seq, adminRead, adminUnread } of conversations) {
      const own = byConversation.get(_id) ?? []
      byConversation.delete(_id)
      if (own.some((message, place) => message.seq !== place + 1 || message.epoch !== epoch)) {
        ledger.violation(`the documents of ${_id} have the numbers ${own.map((message) => message.seq)}`)
      }
      if (seq !== own.length) ledger.violation(`the document of ${_id} says ${seq} of ${own.length} messages`)
      const unread = own.filter((message) => message.senderId === _id && message.seq > adminRead).length
      if (adminUnread !== unread)
        ledger.violation(`the document of ${_id} says ${adminUnread} unread of ${unread}`)
    }
    const files = await collections.attachments.find().toArray()
    for (const [name, { _id }] of ledger.uploaded) {
      const own = files.filter((file) => file.name === name)
      const nonce = ledger.files.get(name)?.typed.nonce ?? ''
      const isSent = own[0]?.messageNonce === nonce || !ledger.acknowledged.has(nonce)
      if (own.length !== 1 || own[0]?._id !== _id || !isSent) {
        ledger.violation(`uploaded ${name} as ${_id}, and in the store: ${JSON.stringify(own)}`)
      }
    }
    const entries = await collections.activity.find().sort({ n: 1 }).toArray()
    const byLog = Map.groupBy(entries, ({ clientId, epoch }) => `${clientId} ${epoch}`)
    for (const { _id, epoch, activityN = 0, version, pendingActivity = [] } of conversations) {
      const own = byLog.get(`${_id} ${epoch}`) ?? []
      byLog.delete(`${_id} ${epoch}`)
      const log = [...own, ...pendingActivity.filter(({ n }) => !own.some((entry) => entry.n === n))]
      if (log.length !== activityN || log.some(({ n }, place) => n !== place + 1)) {
        ledger.violation(`the log of ${_id} has the numbers ${log.map(({ n }) => n)} of ${activityN}`)
      }
      const changes = log.filter(isChange)
      if (version !== changes.length) {
        ledger.violation(`the document of ${_id} has version ${version} after ${changes.length} changes`)
      }
    }
    for (const log of byLog.keys()) ledger.violation(`${log} has a log and no conversation`)
    for (const clientId of byConversation.keys())
      ledger.violation(`${clientId} has messages and no conversation`)
    return messages.length
  } finally {
    await client.close()
  }
}

/** The names of the collections with this text, also in the bytes of files. */
export async function collectionsWith(url: string, text: string): Promise<string[]> {
  const client = await new MongoClient(url, { socketTimeoutMS: ANSWER_MS }).connect()
  try {
    const found: string[] = []
    for (const [name, collection] of Object.entries(collectionsOf(client.db()))) {
      for (const document of await (collection as Collection).find().toArray()) {
        if (hasText(document, text)) found.push(name)
      }
    }
    return found
  } finally {
    await client.close()
  }
}

/** Whether a document has the text, also in the bytes of a file. */
export function hasText(document: Document, text: string): boolean {
  const { data } = document as { data?: { buffer?: Uint8Array } }
  return Buffer.from(data?.buffer ?? []).includes(text) || JSON.stringify(document).includes(text)
}

/** The positions of endpoints, and their retries. */
export async function readDelivery(url: string): Promise<string> {
  const client = await new MongoClient(url).connect()
  try {
    const endpoints = await client.db().collection('endpoints').find().toArray()
    const retries = await client.db().collection('retries').find().toArray()
    return [
      ...endpoints.map(
        ({ name, after, failingSince }) => `${name}: position ${after}, failing since ${failingSince}`,
      ),
      ...retries.map(
        ({ subject, event, attempts, dueAt }) =>
          `retry of ${subject} from ${event}: ${attempts} attempts, due ${dueAt}`,
      ),
    ].join('\n')
  } finally {
    await client.close()
  }
}
