import { describe, expect, it } from 'vitest'
import {
  indentedLines,
  isLonger,
  isStorable,
  lineProblem,
  textField,
  textProblem,
  trimmed,
  trimmedLines,
  withoutEmptyEnds,
} from './text.ts'

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
    expect(lineProblem('x'.repeat(2_001), 2_000)).toBe('Use 2,000 characters or fewer')
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
    expect(textProblem('x'.repeat(81), 80)).toBe('Use 80 characters or fewer')
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
    for (const text of ['', ' ', '\t\r\n', '\u00a0\u3000', '\u200b'])
      expect(field.problem(text)).toBe('Required')
  })

  it('judges the cleaned text', () => {
    expect(field.clean(' abc\n')).toBe('abc')
    expect(field.problem(' abc\n')).toBeNull()
    expect(field.problem('abcd')).toBe('Use 3 characters or fewer')
  })

  it('keeps the lines of a text of several lines', () => {
    expect(trimmedLines('\r\n One\r\n\r\nTwo \n')).toBe('One\n\nTwo')
    expect(indentedLines('\r\n  One\r\n\r\nTwo \n')).toBe('  One\n\nTwo')
  })

  it('drops a lone space before a single line, which is no indentation', () => {
    expect(withoutEmptyEnds(' hello ')).toBe('hello')
    expect(withoutEmptyEnds('\n hello')).toBe('hello')
    expect(withoutEmptyEnds('  return x')).toBe('  return x')
    expect(withoutEmptyEnds(' a\n b')).toBe(' a\n b')
  })
})

describe.each([
  ['trimmed', trimmed],
  ['withoutEmptyEnds', withoutEmptyEnds],
])('%s', (_name, clean) => {
  it.each([
    '\u200b\u200d',
    '\u200e',
    '\u202a\u202c',
    '\u2066\u2069',
    '\u061c',
    '\ufeff',
    '\u2060',
    '\u00ad',
    '\u034f',
    '\u3164',
    '\u115f\u1160',
    '\uffa0',
    '\u2800',
    '\u180e',
    '\u17b4',
    '\ufe0f',
    '\u{e0101}',
    '\u{e0067}\u{e007f}',
    '\u0301',
    '\u20dd',
    '\u0e34',
    '\u{1d159}',
    '\ufffa',
    '\0',
    '\x07',
    '\u0085',
    '\u2028',
    ' \u200b\n\u2800 ',
  ])('finds nothing to show in %j', (text) => {
    expect(clean(text)).toBe('')
  })

  it.each([
    '.',
    'é',
    'e\u0301',
    '👩\u200d💻',
    '❤\ufe0f',
    '1\ufe0f\u20e3',
    'ा',
    '\ue000',
    '\u06dd',
    '\ufffd',
    'می\u200cخواهم',
  ])('keeps %j', (text) => {
    expect(clean(text)).toBe(text)
  })
})

describe('withoutEmptyEnds', () => {
  it.each([
    ['   if x:\n       y()', '   if x:\n       y()'],
    ['\n \t\r\n\tif x:\n\t\ty()\n\n', '\tif x:\n\t\ty()'],
    ['  one  ', '  one'],
    ['\u3000一\n', '\u3000一'],
    ['a\n\n\nb', 'a\n\n\nb'],
  ])('turns %j into %j', (text, cleaned) => {
    expect(withoutEmptyEnds(text)).toBe(cleaned)
    expect(withoutEmptyEnds(cleaned)).toBe(cleaned)
  })
})
