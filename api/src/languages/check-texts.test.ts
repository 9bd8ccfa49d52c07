import { expect, it } from 'vitest'
import { checkTexts, isLanguageTag } from './check-texts.ts'
import { ENGLISH, SHIPPED_TAGS, shippedTexts } from './shipped.ts'

const problems = (file: unknown, tag = 'de') =>
  checkTexts(tag, file).problems.map(({ field, message }) => `${field} ${message}`)

it.each(SHIPPED_TAGS)('ships every text of %s, without problems', (tag) => {
  const texts = shippedTexts(tag) ?? {}
  expect(problems(texts, tag)).toEqual([])
  expect(Object.keys(ENGLISH).filter((key) => !(key in texts))).toEqual([])
})

it('takes some of the keys, and keeps the valid ones beside wrong ones', () => {
  const file = { 'view.send': 'Senden', 'view.typing': '{nam} schreibt', 'no.such': 'x' }
  expect(checkTexts('de', file).texts).toEqual({ 'view.send': 'Senden' })
  expect(problems(file)).toEqual([
    'view.typing must have exactly these placeholders: {name}.',
    'no.such is not a key that this release knows.',
  ])
})

it.each([
  ['view.send', '', 'must not be empty.'],
  ['view.send', ' \u00a0', 'must not be empty.'],
  ['view.send', 'a\nb', 'must be on one line, without control characters.'],
  ['view.send', 'a\u0000', 'must be on one line, without control characters.'],
  ['view.send', 'a\u202e', 'must be on one line, without control characters.'],
  ['view.send', '\ud83d', 'must be on one line, without control characters.'],
  ['view.send', '<b>Send</b>', 'must be plain text without HTML.'],
  ['view.send', 'a'.repeat(1_001), 'must have 1,000 characters or fewer.'],
  ['view.send', 'Send {name}', 'must not have { or }.'],
  ['view.send', 'Send }', 'must not have { or }.'],
  ['view.send', 5, 'must be a text.'],
  ['view.send', { other: 'Send' }, 'must be a text.'],
  ['view.typing', '{ name } types', 'must have exactly these placeholders: {name}.'],
  ['view.typing', '{{name}} types', 'must have exactly these placeholders: {name}.'],
  ['view.tooLong', '{max}', 'must have exactly these placeholders: {length} {max}.'],
  ['view.newMessages', 'new', 'must have a text for each of one, other.'],
  ['view.newMessages', null, 'must have a text for each of one, other.'],
  ['view.newMessages', { other: '{count}' }, 'must have a text for each of one, other.'],
  [
    'view.newMessages',
    { one: 'one', other: '{count}', lots: 'x' },
    'must have a text for each of one, other.',
  ],
  ['view.newMessages', { one: 'one', other: 7 }, 'must have a text for other.'],
  [
    'view.newMessages',
    { one: 'one', other: 'many' },
    'must have exactly these placeholders: {count}, in its form for other.',
  ],
  ['language.dir', 'up', 'must be "ltr" or "rtl".'],
  ['__proto__', 'x', 'is not a key that this release knows.'],
  ['constructor', 'x', 'is not a key that this release knows.'],
])('ignores %s as %j', (key, text, message) => {
  const file = JSON.parse(`{${JSON.stringify(key)}:${JSON.stringify(text)}}`)
  expect(problems(file)).toEqual([`${key} ${message}`])
  expect(checkTexts('de', file).texts).toEqual({})
})

it.each([null, [], 'text', 5])('ignores a file that is %j', (file) => {
  expect(problems(file)).toEqual([' must be one JSON object of keys and texts.'])
})

it('needs the forms of the language itself, some of which may spell out the number', () => {
  const arabic = { zero: 'a', one: 'b', two: 'c', few: '{count} d', many: '{count} e', other: '{count} f' }
  expect(problems({ 'view.newMessages': arabic }, 'ar')).toEqual([])
  expect(problems({ 'view.newMessages': { ...arabic, few: 'd' } }, 'ar')).toHaveLength(1)
  expect(problems({ 'view.newMessages': { one: 'a', other: '{count} b' } }, 'pl')).toEqual([
    'view.newMessages must have a text for each of one, few, many, other.',
  ])
  expect(problems({ 'view.newMessages': { other: '{count}' } }, 'ja')).toEqual([])
})

it('allows the marks that scripts need, and longer texts by code points', () => {
  expect(problems({ 'view.send': 'می\u200cخواهم \u200f', 'view.sent': '😀'.repeat(1_000) }, 'fa')).toEqual([])
})

it('stops listing after some problems', () => {
  const file = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`key-${n}\n`, 'x']))
  const found = problems(file)
  expect(found).toHaveLength(31)
  expect(found.slice(29)).toEqual([
    'key-29? is not a key that this release knows.',
    ' has more problems than these.',
  ])
})

it.each(['de', 'pt-BR', 'fa', 'fil', 'zh-Hant', 'zh-Hant-TW', 'es-419'])('knows the tag %s', (tag) => {
  expect(isLanguageTag(tag)).toBe(true)
})
it.each([
  '',
  'DE',
  'pt-br',
  'iw',
  'english',
  'de-DE-1996',
  'de-u-nu-arab',
  '../en',
  'x-own',
  '__proto__',
  'd',
])('refuses the tag %j', (tag) => {
  expect(isLanguageTag(tag)).toBe(false)
})
