import { describe, expect, it } from 'vitest'
import { hasIndex, stagesIn } from './mongo-queries.ts'

const query = { command: 'find', collection: 'c', filter: {}, sort: {}, hint: undefined, limit: 0, sent: {} }
const indexes = [{ key: { a: 1, b: 1, c: -1 } }, { key: { d: 1 } }] as const

describe('a query has its index', () => {
  it.each([
    ['by _id', { filter: { _id: 'x', z: { $gt: 1 } } }],
    ['when the first fields are equal', { filter: { a: 1, b: { $in: [1, 2] }, z: { $ne: 1 } } }],
    ['when a range follows equal fields', { filter: { a: 1, b: { $gt: 1, $lte: 5 } } }],
    ['for a range alone', { filter: { d: { $lt: 1 } } }],
    ['when it sorts by what follows', { filter: { a: null }, sort: { b: 1, c: -1 } }],
    ['when it sorts the other way round', { filter: { a: 1 }, sort: { b: -1, c: 1 } }],
    ['when it sorts by an equal field', { filter: { a: 1, b: 2 }, sort: { b: 1, c: -1 } }],
    ['when it reads some documents in order', { sort: { d: -1 }, limit: 1 }],
    ['when it counts all by its hint', { hint: { d: 1 } }],
  ])('%s', (_when, asked) => {
    expect(hasIndex({ ...query, ...asked }, indexes)).toBe(true)
  })
})

describe('a query has no index', () => {
  it.each([
    ['without a filter', {}],
    ['when it reads some documents in no order', { limit: 1 }],
    ['when it reads all documents in order', { sort: { d: 1 } }],
    ['when it filters only by a later field', { filter: { b: 1 } }],
    ['when it filters by inequality', { filter: { a: { $ne: 1 } } }],
    ['when it sorts by what does not follow', { filter: { a: 1 }, sort: { c: -1 } }],
    ['when it sorts in a mixed order', { filter: { a: 1 }, sort: { b: 1, c: 1 } }],
    ['when it sorts after a range', { filter: { a: { $gt: 1 } }, sort: { b: 1 } }],
    ['when its hint is not declared', { filter: { a: 1 }, hint: { a: 1 } }],
    ['when its hint does not serve it', { filter: { a: 1 }, hint: { d: 1 } }],
  ])('%s', (_when, asked) => {
    expect(hasIndex({ ...query, ...asked }, indexes)).toBe(false)
  })
})

it('finds the stages of the winning plan at any depth', () => {
  const winningPlan = { queryPlan: { stage: 'FETCH', inputStage: { stage: 'IXSCAN' } } }
  const rejectedPlans = [{ stage: 'COLLSCAN' }]
  const plan = { stages: [{ $cursor: { queryPlanner: { winningPlan, rejectedPlans } } }] }
  expect(stagesIn(plan)).toEqual(['FETCH', 'IXSCAN'])
})
