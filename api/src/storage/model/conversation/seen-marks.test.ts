import { expect, it } from 'vitest'
import { movedMark } from './conversation.ts'

const mark = { clientId: 'Visitor0000000000001', epoch: 'epoch-1', seq: 3, n: 2 }

it('a seen mark moves forwards, each number by itself', () => {
  expect(movedMark(mark, { ...mark, seq: 4, n: 1 })).toEqual({ ...mark, seq: 4 })
  expect(movedMark(mark, { ...mark, seq: 2, n: 5 })).toEqual({ ...mark, n: 5 })
  expect(movedMark(mark, { ...mark, seq: 2 })).toBeNull()
})

it('a seen mark begins anew in a new history, once something was seen of it', () => {
  const wanted = { ...mark, epoch: 'epoch-2', seq: 1, n: 0 }
  expect(movedMark(mark, wanted)).toEqual(wanted)
  expect(movedMark(undefined, wanted)).toEqual(wanted)
  expect(movedMark(undefined, { ...wanted, seq: 0 })).toBeNull()
})
