import { expect, it } from 'vitest'
import { backArrows, filesOfPath } from './sizes.ts'

it('counts the arrows that run against the order of the folders', () => {
  const arrows = [
    ['page', 'list'],
    ['page', 'live'],
    ['live', 'list'],
  ] as const
  expect(backArrows(arrows, ['live', 'list', 'page'])).toBe(1)
  expect(backArrows(arrows, ['list', 'live', 'page'])).toBe(0)
})

it("reads the files of the path from the steps of ARCHITECTURE's section, each once", () => {
  const text = [
    '## The path of one message',
    'It has `not-counted.ts`.',
    '1. `web/src/a.tsx`: begins. With `b.ts` and `localStorage`.',
    '2. `api/src/c.ts`: goes on, with `b.ts`.',
    '',
    'Afterwards: `d.ts`.',
    '## The inbox',
    '1. `e.ts`',
  ]
  expect([...filesOfPath(['# Architecture', ...text].join('\n'))]).toEqual([
    'web/src/a.tsx',
    'b.ts',
    'api/src/c.ts',
  ])
})
