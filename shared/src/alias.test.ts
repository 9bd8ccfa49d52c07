import { expect, test } from 'vitest'
import { aliasOf } from './alias.ts'

test('an alias is always the same, two words, and rarely shared', () => {
  const ids = Array.from({ length: 2_000 }, (_, index) => `visitor${String(index).padStart(13, '0')}`)
  const aliases = ids.map(aliasOf)
  expect(ids.map(aliasOf)).toEqual(aliases)
  expect(aliases.every((alias) => /^[A-Z][a-z]+ [A-Z][a-z]+$/.test(alias))).toBe(true)
  // 4,096 pairs: 2,000 random picks hit about 1,580 of them.
  expect(new Set(aliases).size).toBeGreaterThan(1_450)
})
