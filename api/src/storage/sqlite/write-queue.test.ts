import type { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type NewAuditEntry, withEntry } from '../model/audit.ts'
import { DatabaseHealth } from './database-health.ts'
import { openDatabase } from './open-database.ts'
import { WriteQueue } from './write-queue.ts'

const entry: NewAuditEntry = {
  ...{ by: null, action: 'contact.deleted', target: null },
  ...{ details: {}, address: null, at: 1 },
}

let db: DatabaseSync
let queue: WriteQueue
beforeEach(() => {
  db = openDatabase(':memory:')
  queue = new WriteQueue(db, new DatabaseHealth(':memory:'), () => {})
})
afterEach(() => {
  queue.close()
  db.close()
})

function entries(): number {
  return (db.prepare('SELECT count(*) AS count FROM audit').get() as { count: number }).count
}

it.each(['created', 'refused'])(
  'stores the audit entry of a write as the write declares: %s',
  async (outcome) => {
    const write = () =>
      queue.write(
        () => ({ outcome }),
        (result) => result.outcome === 'created',
      )
    expect(await withEntry(entry, write)).toEqual({ outcome })
    expect(entries()).toBe(outcome === 'created' ? 1 : 0)
  },
)

it('stores the entry once, with the first write that changes something', async () => {
  const write = (changes: number) =>
    queue.write(
      () => changes,
      (count) => count > 0,
    )
  await withEntry(entry, async () => {
    await write(0)
    expect(entries()).toBe(0)
    await write(1)
    await write(1)
  })
  expect(entries()).toBe(1)
})
