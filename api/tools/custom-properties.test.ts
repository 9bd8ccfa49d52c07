import { expect, it } from 'vitest'
import { undeclaredProperties } from './custom-properties.ts'

it('finds a custom property that is declared nowhere, with its line', () => {
  const sources = {
    'a.css': ':root { --known: 1px }\n\n.a { margin: var(--known) var( --unknown ) }',
    'b.css': '.b { width: calc(2 * var(--known)); color: var(--other)\n}',
  }
  expect(undeclaredProperties(sources)).toEqual([
    'a.css:3: var(--unknown) is declared nowhere and has no fallback',
    'b.css:1: var(--other) is declared nowhere and has no fallback',
  ])
})

it('accepts a property that scripts set, or with a fallback, and ignores comments', () => {
  const sources = {
    'a.css': [
      '.a { top: var(--top); left: var(--left, 0px); margin: var(--near, var(--inner)) }',
      '/* var(--gone) was here,\n once --inner: 1px */',
      '@property --angle { syntax: "<angle>" } .b { rotate: var(--angle) }',
    ].join('\n'),
    'a.tsx': "element.style.setProperty('--top', '1px') // var(--elsewhere)",
    'b.tsx': "const style = { color: 'var(--ink-of-script)' }",
  }
  expect(undeclaredProperties(sources)).toEqual([
    'a.css:1: var(--inner) is declared nowhere and has no fallback',
    'b.tsx:1: var(--ink-of-script) is declared nowhere and has no fallback',
  ])
})
