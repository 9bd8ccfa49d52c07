import { MongoServerError } from 'mongodb'
import { describe, expect, it } from 'vitest'
import { asAppError, inHalves } from './outage.ts'

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

const numbers = Array.from({ length: 1_000 }, (_, index) => index)

describe('a batch that the server finds too long', () => {
  it('is written in halves, in order and completely', async () => {
    const written: number[] = []
    let commands = 0
    await inHalves(numbers, async (part) => {
      commands += 1
      if (part.length > 300) throw new MongoServerError({ message: 'too slow', code: 50 })
      written.push(...part)
    })
    expect(written).toEqual(numbers)
    expect(commands).toBe(7)
  })

  it('fails where one document takes too long, or for another reason', async () => {
    const failing = (code: number) => async () => {
      throw new MongoServerError({ message: 'no', code })
    }
    await expect(inHalves(numbers, failing(50))).rejects.toMatchObject({ code: 50 })
    let commands = 0
    const refused = inHalves(numbers, async () => {
      commands += 1
      await failing(11_000)()
    })
    await expect(refused).rejects.toMatchObject({ code: 11_000 })
    expect(commands).toBe(1)
  })
})
