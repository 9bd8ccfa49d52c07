import type { Question } from '@proctorpass/shared/schemas/faq'
import { expect, test } from 'vitest'
import { moved, type Target } from './moved.ts'

const GROUPS = ['a', 'b', 'c'].map((id) => ({ id, title: id.toUpperCase() }))
const ITEMS = ['a1', 'a2', 'c1', 'c2'].map((_id) => ({ _id, group: _id.charAt(0) }) as Question)

const after = (id: string, target: Target) =>
  moved(ITEMS, GROUPS, id, target)
    ?.map(({ _id, group }) => `${group}:${_id}`)
    .join(' ')

test('a question moves over its neighbor, and at the end of its group into the next one', () => {
  expect(after('a1', 'down')).toBe('a:a2 a:a1 c:c1 c:c2')
  expect(after('c2', 'up')).toBe('a:a1 a:a2 c:c2 c:c1')
  expect(after('a2', 'down')).toBe('a:a1 b:a2 c:c1 c:c2')
  expect(after('c1', 'up')).toBe('a:a1 a:a2 b:c1 c:c2')
  expect(after('a1', 'up')).toBeUndefined()
  expect(after('c2', 'down')).toBeUndefined()
})

test('a dragged question goes before or after another one, or into an empty group', () => {
  expect(after('a1', { after: 'c1' })).toBe('a:a2 c:c1 c:a1 c:c2')
  expect(after('c2', { before: 'a1' })).toBe('a:c2 a:a1 a:a2 c:c1')
  expect(after('a1', { group: 'b' })).toBe('a:a2 b:a1 c:c1 c:c2')
  expect(after('a1', { before: 'a2' })).toBeUndefined()
  expect(after('a1', { before: 'unknown' })).toBeUndefined()
})
