import { MongoServerError } from 'mongodb'
import { expect, it } from 'vitest'
import { asAppError } from './connection.ts'

it.each([
  ['no room on its disk', 14_031],
  ['a quota of space', 8_000],
])('takes a server that refuses for %s as one that is away', (_why, code) => {
  const error = new MongoServerError({ message: 'refused', code })
  expect(asAppError(error)).toMatchObject({ code: 'unavailable', retryable: true })
})
