import { describe, expect, it } from 'vitest'
import { filledReply, partsOf, REPLY_VARIABLES, unknownVariable } from './reply-text.ts'

describe('partsOf', () => {
  it.each([
    ['', []],
    ['Hello', [{ text: 'Hello' }]],
    ['{{brand}}', [{ variable: 'brand' }]],
    [
      'a{{brand}}{{exam.time}}b',
      [{ text: 'a' }, { variable: 'brand' }, { variable: 'exam.time' }, { text: 'b' }],
    ],
    ['{{}}', [{ variable: '' }]],
    ['{{a\nb}}', [{ variable: 'a\nb' }]],
    ['{{{brand}}}', [{ variable: '{brand' }, { text: '}' }]],
    ['}} {{ {brand} }', [{ text: '}} {{ {brand} }' }]],
    ['{{{}', [{ text: '{{{}' }]],
    ['{{brand}} {{open', [{ variable: 'brand' }, { text: ' {{open' }]],
  ])('splits %j', (text, parts) => {
    expect(partsOf(text)).toEqual(parts)
  })

  it('splits hostile text in linear time', () => {
    expect(partsOf('{{'.repeat(500_000))).toHaveLength(1)
    expect(partsOf('{{}}'.repeat(250_000))).toHaveLength(250_000)
  })
})

describe('unknownVariable', () => {
  it('finds the first one', () => {
    expect(unknownVariable('{{brand}} {{x}} {{y}}')).toBe('x')
    expect(unknownVariable(REPLY_VARIABLES.map((name) => `{{${name}}}`).join(''))).toBeNull()
    expect(unknownVariable('no {{ variable')).toBeNull()
  })
})

describe('filledReply', () => {
  it('replaces each variable, and only once', () => {
    const fill = (variable: string) => (variable === 'brand' ? '{{visitor.name}} $& $1' : `<${variable}>`)
    expect(filledReply('{{brand}}: {{visitor.name}}, {{visitor.name}}', fill)).toBe(
      '{{visitor.name}} $& $1: <visitor.name>, <visitor.name>',
    )
  })

  it('leaves what no longer is a variable as it is', () => {
    expect(filledReply('{{gone}} {{brand}}', () => 'x')).toBe('{{gone}} x')
  })
})
