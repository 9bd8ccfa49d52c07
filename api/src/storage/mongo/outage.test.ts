import { MongoServerError } from 'mongodb'
import { expect, it } from 'vitest'
import { asAppError } from './outage.ts'

it.each([
  ['no room on its disk', 14_031],
  ['a quota of space', 8_000],
])('takes a server that refuses for %s as one that is away', (_why, code) => {
  const error = new MongoServerError({ message: 'refused', code })
  expect(asAppError(error)).toMatchObject({ code: 'unavailable', retryable: true })
})

it.each(['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED'])(
  'takes a connection that broke with %s in Node itself as a store that is away',
  (code) => {
    const error = Object.assign(new Error('This socket has been ended by the other party'), { code })
    expect(asAppError(error)).toMatchObject({ code: 'unavailable', retryable: true })
  },
)

it('does not change a programming error', () => {
  for (const error of [new TypeError('not a function'), undefined, null])
    expect(asAppError(error)).toBe(error)
})
