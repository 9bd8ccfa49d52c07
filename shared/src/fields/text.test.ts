import { describe, expect, it } from 'vitest'
import { isLonger, isStorable, lineProblem, textField, textProblem, trimmedLines } from './text.ts'

describe('lineProblem', () => {
  it.each([
    '\u202egnp.exe',
    'a\u202db',
    '\u202aa',
    '\u2066a\u2069',
    'a\nb',
    'a\u2028b',
    'a\u0085b',
    'a\0b',
    '\ud800',
    'b\udc00a',
  ])('refuses %j', (text) => {
    expect(lineProblem(text, 80)).toBe('Use one line, without control characters')
  })

  it.each([
    '\u05e9\u05dc\u05d5\u05dd \u200e(x)',
    '👩\u200d👩\u200d👧',
    'Zoë',
    'Zoe\u0308',
    '漢字かな',
    '𝒳'.repeat(80),
  ])('takes %j', (text) => {
    expect(lineProblem(text, 80)).toBeNull()
  })

  it('names the limit of a text that is too long', () => {
    expect(lineProblem('x'.repeat(2_001), 2_000)).toBe('2,000 characters or fewer')
  })
})

describe('textProblem', () => {
  it('takes several lines and direction overrides', () => {
    expect(textProblem('\u202egnp.exe\nnext line\u2028', 80)).toBeNull()
  })

  it.each(['a\0', '\ud800', '\udc00\ud800'])('refuses %j', (text) => {
    expect(textProblem(text, 80)).toBe("This text contains characters that can't be saved. Type it again.")
    expect(isStorable(text)).toBe(false)
  })

  it('names the limit of a text that is too long', () => {
    expect(textProblem('x'.repeat(81), 80)).toBe('80 characters or fewer')
  })
})

describe('isLonger', () => {
  it.each([
    ['a letter', 'x'],
    ['a Chinese character', '漢'],
    ['a rare Chinese character of two units', '𠀀'],
    ['an emoji of two units', '😀'],
    ['a lone surrogate', '\ud800'],
  ])('counts %s as one', (_title, character) => {
    expect([isLonger(character.repeat(5), 5), isLonger(character.repeat(6), 5)]).toEqual([false, true])
  })

  it.each([
    ['a combining mark', 'e\u0301', 2],
    ['the parts of a joined emoji', '👩\u200d👧', 3],
    ['a flag', '🇨🇭', 2],
    ['a direction mark', 'a\u200e', 2],
  ])('counts %s by its code points', (_title, text, codePoints) => {
    expect([isLonger(text, codePoints), isLonger(text, codePoints - 1)]).toEqual([false, true])
  })
})

describe('textField', () => {
  const field = textField('Required', (text) => lineProblem(text, 3))

  it('asks for a text that is missing or blank', () => {
    for (const text of ['', ' ', '\t\r\n', '\u00a0\u3000']) expect(field.problem(text)).toBe('Required')
  })

  it('judges the cleaned text', () => {
    expect(field.clean(' abc\n')).toBe('abc')
    expect(field.problem(' abc\n')).toBeNull()
    expect(field.problem('abcd')).toBe('3 characters or fewer')
  })

  it('keeps the lines of a text of several lines', () => {
    expect(trimmedLines('\r\n One\r\n\r\nTwo \n')).toBe('One\n\nTwo')
  })
})
