import { DatabaseSync } from 'node:sqlite'
import { AppError } from '@proctorpass/shared/errors'
import { expect, it } from 'vitest'
import { startupErrorMessage } from './startup-error.ts'

/** A real one: the database may not grow beyond its first page. */
function fullDatabase(): unknown {
  const db = new DatabaseSync(':memory:')
  db.exec('PRAGMA max_page_count = 1')
  try {
    db.exec('CREATE TABLE a (b)')
  } catch (error) {
    return error
  } finally {
    db.close()
  }
  throw new Error('it grew')
}

it.each([
  ['SQLite', fullDatabase()],
  ['a use case that writes at the start', new AppError('unavailable', 'Not now.', { cause: fullDatabase() })],
  ['the file system', Object.assign(new Error('no space left on device, open'), { code: 'ENOSPC' })],
  ['a quota', Object.assign(new Error('disk quota exceeded, open'), { code: 'EDQUOT' })],
])('reports a full disk for an error of %s', async (_who, error) => {
  expect(await startupErrorMessage(error, '/var/lib/chat')).toBe(
    'The disk that holds DATA_DIR (/var/lib/chat) is full. Free some space, then start again.',
  )
})
