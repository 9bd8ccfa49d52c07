import type { DatabaseSync } from 'node:sqlite'
import { movedMark, type SeenMark } from '../model/conversation/conversation.ts'
import type { SeenMarkRepository } from '../model/storage.ts'
import type { ConversationRows } from './conversation-rows.ts'
import { ifFound, type WriteQueue } from './write-queue.ts'

export function openSeenMarks(
  db: DatabaseSync,
  queue: WriteQueue,
  rows: ConversationRows,
): SeenMarkRepository {
  const sql = {
    find: db.prepare(
      `SELECT clientId, epoch, seen_marks.seq, n FROM seen_marks JOIN conversations USING (clientId)
       WHERE userId = ? AND clientId = ?`,
    ),
    put: db.prepare('INSERT OR REPLACE INTO seen_marks (userId, clientId, seq, n) VALUES (?, ?, ?, ?)'),
  }
  function find(userId: string, clientId: string): SeenMark | undefined {
    const row = sql.find.get(userId, clientId)
    return row === undefined ? undefined : ({ ...row } as unknown as SeenMark)
  }
  return {
    move: (userId, wanted) =>
      queue.write(() => {
        const { clientId, epoch } = wanted
        if (rows.readForWrite(clientId)?.epoch !== epoch) return null
        const mark = movedMark(find(userId, clientId), wanted)
        if (mark !== null) sql.put.run(userId, clientId, mark.seq, mark.n)
        return mark
      }, ifFound),
    moveBack: (userId, { clientId, epoch, seq }) =>
      queue.write(() => {
        const mark = find(userId, clientId)
        if (mark === undefined || mark.epoch !== epoch || mark.seq <= seq) return null
        sql.put.run(userId, clientId, seq, mark.n)
        return { ...mark, seq }
      }, ifFound),
    of: async (userId, clientIds) => clientIds.flatMap((clientId) => find(userId, clientId) ?? []),
  }
}
