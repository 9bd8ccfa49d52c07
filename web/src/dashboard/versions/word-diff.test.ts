import { expect, test } from 'vitest'
import { compareLines, compareWords } from './word-diff.ts'

const told = (before: string, after: string) =>
  compareWords(before, after)
    .map(({ kind, text }) => (kind === 'same' ? text : `${kind === 'del' ? '[-' : '[+'}${text}]`))
    .join('')

test('words are compared, not letters', () => {
  expect(told('Pack your passport.', 'Pack your lunch.')).toBe('Pack your [-passport][+lunch].')
  expect(told('the same', 'the same')).toBe('the same')
  expect(told('', 'new words')).toBe('[+new words]')
  expect(told('old words', '')).toBe('[-old words]')
})

test('words of languages without spaces are compared too', () => {
  expect(told('请先阅读规则。', '请先理解规则。')).toBe('请先[-阅读][+理解]规则。')
})

test('two texts are always told completely, with more different words than there are single characters', () => {
  const words = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => `w${from + n}`).join(' ')
  const [before, after] = [words(0, 9_000), words(40, 9_000)]
  const changes = compareWords(before, after)
  const side = (kind: string) =>
    changes
      .filter((change) => change.kind === 'same' || change.kind === kind)
      .map(({ text }) => text)
      .join('')
  expect(side('del')).toBe(before)
  expect(side('ins')).toBe(after)
  const many = `${words(0, 70_000)}\nend`
  expect(compareWords(many, `${many}.`).map(({ kind }) => kind)).toEqual(['same', 'del', 'ins'])
})

test('paragraphs without changes are left out', () => {
  const changed = compareLines('one\ntwo\nthree\nfour\nfive', 'one\ntwo\n3\nfour\nfive')
  expect(changed).toEqual([
    null,
    [
      { kind: 'del', text: 'three' },
      { kind: 'ins', text: '3' },
    ],
    null,
  ])
})
