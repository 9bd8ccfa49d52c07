import { expect, it } from 'vitest'
import { blockText } from './block-text.ts'

const NOW = new Date(2026, 10, 22, 12).getTime()
const iso = (ms: number) => new Date(NOW + ms).toISOString()

it.each([
  [null, ''],
  [undefined, ''],
  [iso(0), ''],
  [iso(-1), ''],
  [iso(3_600_000), 'Blocked until 1:00 PM'],
  ['forever', 'Blocked permanently'],
])('a block until %s reads %s', (until, text) => {
  expect(blockText(until, NOW)).toBe(text)
})
