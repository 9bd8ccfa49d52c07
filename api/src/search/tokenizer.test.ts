import { foldText } from '@proctorpass/shared/fold'
import { expectLinear, repeated } from '@proctorpass/shared/testing/expect-linear'
import { termsOf } from '@proctorpass/shared/tokenizer'
import { describe, expect, it } from 'vitest'
import { indexTermsOf } from './elements.ts'

describe('the tokenizer', () => {
  it.each([
    ['English', "Don't e-mail ME twice, me!", ['don', 't', 'e', 'mail', 'me', 'twice']],
    ['numbers', 'Room 12, 3.5 h', ['room', '12', '3', '5', 'h']],
    ['accents', 'Café Zoë Ångström Łódź Ёлка', ['cafe', 'zoe', 'angstrom', 'lodz', 'елка']],
    ['combining marks', 'Cafe\u0301 e\u0301\u0302\u0303', ['cafe', 'e']],
    ['letters with two writings', 'straße STRASSE ΟΔΟΣ οδός ﬁne İzmir', ['strasse', 'οδοσ', 'fine', 'izmir']],
    ['Chinese', '摄像头 坏了', ['摄像', '像头', '头', '坏了', '了']],
    ['one Chinese character', '好', ['好']],
    ['rare Chinese characters', '𠮷野家', ['𠮷野', '野家', '家']],
    ['Japanese', 'カメラが', ['カメ', 'メラ', 'ラが', 'が']],
    ['halfwidth Japanese', 'ｶﾞｲﾄﾞ', ['ガイ', 'イド', 'ド']],
    ['Korean', '시험을 취소', ['시험', '험을', '을', '취소', '소']],
    ['Thai', 'สอบได้', ['สอ', 'อบ', 'บไ', 'ได', 'ด้', '้']],
    ['Persian with a joiner', 'می\u200cخواهم', ['ميخواهم']],
    ['Hindi, whose marks spell words', 'हिन्दी', ['हिन्दी']],
    ['Arabic without vowel points', 'مُحَمَّد', ['محمد']],
    ['mixed scripts', 'iPhone15手机', ['iphone', '15', '手机', '机']],
    ['fullwidth letters', 'ＯＫ １２', ['ok', '12']],
    ['emoji', '😀 👩‍👩‍👧 ❤️ ok', ['ok']],
    ['invisible characters', 'so\u00adft zero\u200bwidth', ['soft', 'zerowidth']],
    ['lone surrogates and NUL', '\ud800a\0b\udc00', ['a', 'b']],
    ['nothing', ' …!', []],
  ])('splits %s', (_what, text, terms) => {
    expect(termsOf(text)).toEqual(terms)
  })

  it('knows the digits of every script', () => {
    const numeric = new Intl.Collator('en', { numeric: true, sensitivity: 'base' })
    for (let code = 0; code <= 0x1ffff; code++) {
      const character = String.fromCodePoint(code)
      if (!/\p{Nd}/u.test(character)) continue
      expect(foldText(character)).toMatch(/^[0-9]$/)
      expect(numeric.compare(character, foldText(character)), code.toString(16)).toBe(0)
    }
  })

  it('cuts long words, between characters', () => {
    expect(termsOf('x'.repeat(5_000))).toEqual(['x'.repeat(40)])
    expect(termsOf(`x${'𐐨'.repeat(100)}`)[0]?.isWellFormed()).toBe(true)
  })

  it.each([
    'a',
    '摄',
    '\u0301',
    'a\u0301',
    'ﷺ',
    '\u1100',
    '\u0e33',
    '"',
    '😀',
    'ｶﾞ',
    '1',
    '1 ',
    'a1',
    '(0)',
    '٣',
    '1️⃣',
    'ก้',
    '한',
  ])('takes time in proportion to a text of %j', (text) => {
    // Some characters become eighteen when they are folded: the length counts after it.
    const hostile = (length: number) => text.repeat(Math.ceil(length / text.normalize('NFKC').length))
    expectLinear(indexTermsOf, repeated('plain wörter 词 '), hostile)
  })
})
