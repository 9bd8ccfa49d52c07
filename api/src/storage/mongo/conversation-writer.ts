import { labelKey } from '@proctorpass/shared/label-key'
import { type ConversationWriter, isToStore, type Needs } from '../model/conversation/changes.ts'
import type { ActivityRecord, ConversationRecord, EditedWords } from '../model/conversation/conversation.ts'
import { EDITS_READ } from '../model/conversation/edits.ts'
import { MARK_KINDS, MARKS_READ } from '../model/conversation/inbox-changes.ts'
import { toMessage } from '../model/conversation/rows.ts'
import { type VisitorToStore, visitorRecord } from '../model/conversation/visitors.ts'
import { type ActivityLog, recordOf } from './activity-log.ts'
import { openMessageAttachments } from './attachments.ts'
import { type Collections, type ConversationDoc, inboxOf, keysOf } from './collections.ts'
import type { MongoConnection } from './connection.ts'
import type { EditMoves } from './edits.ts'
import { cutWords, withPendingEdit } from './pending-edit.ts'
import { conversationOf, type Projection, untilMajorityRead } from './projection.ts'

/**
 * Makes each change in one update, whose filter names the totals and the log on which the change was decided. A visitor's
 * data is a field in their conversation, so the same update changes it and erasing cannot leave it behind.
 * @see docs/decisions/0042-inbox-on-two-stores.md
 */
export function openConversationWriter(
  collections: Collections,
  majority: MongoConnection['majority'],
  { write, current, keysNow, waitsSince }: Projection,
  log: ActivityLog,
  { moveEdit, messageNow }: EditMoves,
): ConversationWriter {
  const { conversations, activity, messages } = collections
  const messageFiles = openMessageAttachments(collections)

  async function entryOf(found: ConversationDoc, { nonce, isRating }: Needs): Promise<ActivityRecord | null> {
    if (nonce !== undefined) return log.entryUnder(found, nonce)
    return isRating && found.rated ? ((await log.newestOf(found, ['rating'], 1))[0] ?? null) : null
  }

  /** Returns new labels in the spelling that the store already has. */
  async function asFirstWritten(labels: readonly string[], before: readonly string[]): Promise<string[]> {
    const known = new Set(before.map(labelKey))
    const written = labels.map(async (label) => {
      const key = labelKey(label)
      if (known.has(key)) return label
      const found = await conversations.findOne({ labelKeys: key }, { projection: { labels: 1 } })
      return found?.labels?.find((other) => labelKey(other) === key) ?? label
    })
    return Promise.all(written)
  }

  /** Waits until a majority has the entry, so that a retry's answer is as durable as the first attempt's answer. */
  async function untilDurable(found: ConversationDoc, { _id }: ActivityRecord): Promise<void> {
    await log.move(found)
    await untilMajorityRead(() => activity.findOne({ _id }, { ...majority, projection: { _id: 1 } }))
  }

  return {
    change: (clientId, { needs = {}, missing, decide, answer }) =>
      write(clientId, async () => {
        const found = await current(clientId)
        if (found === null) return missing
        const conversation = conversationOf(found)
        const entry = await entryOf(found, needs)
        const { message: nonce, files: wanted, seq } = needs
        const message =
          nonce === undefined ? null : await messages.findOne({ clientId, epoch: found.epoch, nonce })
        const target = seq === undefined ? null : await messageNow(found, seq)
        const files = entry === null && wanted !== undefined ? await messageFiles.claim(wanted) : []
        if (files === undefined) return undefined
        const decided = decide({
          conversation,
          entry,
          target,
          edits: seq === undefined || entry === null ? [] : await log.newestOf(found, ['edit'], EDITS_READ),
          marks: needs.marks ? (await log.newestOf(found, MARK_KINDS, MARKS_READ)).reverse() : [],
          labels: needs.labels && (await asFirstWritten(needs.labels, conversation.labels)),
          message: message && toMessage(withPendingEdit(message, found)),
          files,
          record: () => shownOf(found),
        })
        if (!isToStore(decided)) {
          // Files that a waiting message already has are not claimed again, because it has an entry.
          if (entry === null && wanted !== undefined && Array.isArray(files)) {
            await messageFiles.release(wanted)
          }
          if (entry !== null) await untilDurable(found, entry)
          return decided
        }
        const { set, entries, waitsAfter, words } = decided
        // The document has room for one message's words.
        if (words !== undefined) await moveEdit(found)
        const waiting =
          waitsAfter === undefined
            ? {}
            : { waitingSince: await waitsSince(found, waitsAfter, found.unansweredSince) }
        const stored = await log.store(
          found,
          { set: { ...set, ...waiting }, entries },
          words && { update: { $set: wordFields(found, words) } },
        )
        if (stored === null) return undefined
        const { activity: added, conversation: after } = stored
        // The words are stored, so a failure only leaves the move to the next correction.
        if (words !== undefined) await moveEdit(after).catch(() => {})
        return answer({
          activity: added,
          scheduled: inboxOf(after).scheduled,
          target: target && withPendingEdit(target, after),
          keyHashes: keysOf(after, null),
          record: () => shownOf(after),
        })
      }),

    changeVisitor: (clientId, { missing, decide, answer }) =>
      write(clientId, async () => {
        const found = await conversations.findOne({ _id: clientId }, majority)
        if (found === null) return missing
        const conversation = conversationOf(found, await keysNow(found))
        const decided = decide(conversation, found.visitor ? visitorRecord(clientId, found.visitor) : null)
        if (!isToStore(decided)) return decided
        const stored = await log.store(
          found,
          { set: {}, entries: decided.entries },
          visitorUpdate(found, decided),
        )
        if (stored === null) return undefined
        const visitor = visitorRecord(clientId, stored.conversation.visitor ?? {})
        return answer({ conversation, visitor, activity: stored.activity, only: decided.only ?? [] })
      }),
  }
}

/** Returns the fields that store a message's new words. The message is the newest one, so the list shows them too. */
function wordFields({ epoch }: ConversationDoc, { seq, ...edited }: EditedWords & { seq: number }) {
  return {
    pendingEdit: { epoch, seq, ...edited },
    pendingEditOf: seq,
    'lastMessage.edited': cutWords(edited),
  } as Partial<ConversationDoc>
}

function shownOf(found: ConversationDoc): ConversationRecord {
  return recordOf(found) as ConversationRecord
}

function visitorUpdate({ _id, visitor = {} }: ConversationDoc, { set, only = [] }: VisitorToStore) {
  const { lastSeenAt, ...fields } = set
  const { pagesVersion = null } = visitor
  const version = fields.pages === undefined ? {} : { pagesVersion: (pagesVersion ?? 0) + 1 }
  const before = visitorRecord(_id, visitor)
  // The filter matches a missing field as null.
  const unchanged = only.map((field) =>
    field === 'pages' ? ['pagesVersion', pagesVersion] : [field, before[field]],
  )
  return {
    update: {
      $set: inVisitor({ ...fields, ...version }),
      ...(lastSeenAt != null && { $max: inVisitor({ lastSeenAt }) }),
    },
    only: inVisitor(Object.fromEntries(unchanged)),
  }
}

function inVisitor(fields: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [`visitor.${name}`, value]))
}
