import texts from 'virtual:sample-texts'
import { describe, expect, it } from 'vitest'
import { createFinder, hasWords } from './find-pages.ts'

const find = createFinder(texts.suggested)
const first = (text: string) => find(text)[0]?.title

describe('the search while a visitor types', () => {
  it.each([
    ['', false],
    ['can you', false],
    ['can you ', false],
    ['can you h', true],
    ['e-mail me', true],
    ['摄像头坏', false],
    ['摄像头坏了', true],
    ['... !!! ???', false],
  ])('begins at the third word: %j', (text, expected) => {
    expect(hasWords(text)).toBe(expected)
  })

  it.each([
    ['can i move my exam', 'Can I move my exam to another date?'],
    ['what does it cost', 'What does it cost?'],
    ['tell me about the refund', 'How do refunds work?'],
    ['tell me about the refnud', 'How do refunds work?'],
    ['can you see my scren', 'Can ProctorU see my screen? What is shared, when it starts, and when it ends'],
    ['can i pay in instal', 'Can I pay in installments?'],
    ['CAN I PAY IN ÍNSTALLMENTS', 'Can I pay in installments?'],
  ])('finds the answer to %j', (text, title) => {
    expect(first(text)).toBe(title)
  })

  it.each([
    'what happens if my camera is detected as broken',
    'is the screen of my laptop recorded in the exam',
    'what happens during the exam and afterward',
    'i am scared and behind with three days left before the exam',
    'which services cost less than yours',
  ])('suggests no page about cheating to who asks %j', (text) => {
    expect(find(text).filter(({ title }) => /cheat/i.test(title))).toEqual([])
  })

  it('suggests the pages about cheating to who asks about it', () => {
    expect(first('how is cheating detected')).toMatch(/^How to cheat/)
    expect(first('will they catch me cheating')).toMatch(/^How to cheat/)
  })

  it.each([
    'hello how are you',
    'yes that is what I did',
    'thank you very much',
    '🙂 🙂 🙂',
    '%_ [a-z .* ((',
  ])('suggests nothing for %j', (text) => {
    expect(find(text)).toEqual([])
  })

  it('suggests three pages at most', () => {
    for (const text of ['can proctoru detect phones', 'screen camera room phone exam price refund'])
      expect(find(text).length).toBeLessThanOrEqual(3)
  })

  it('finds Chinese by pairs of characters', () => {
    const pages = [
      { path: '/blog/a', title: '摄像头坏了怎么办', terms: '' },
      { path: '/blog/b', title: '价格', terms: '' },
      { path: '/blog/c', title: 'Prices', terms: '' },
      { path: '/blog/d', title: 'Rooms', terms: '' },
    ]
    expect(createFinder(pages)('我的摄像头坏了').map(({ path }) => path)).toEqual(['/blog/a'])
  })

  it('leads to a path for each question and article', () => {
    expect(new Set(texts.suggested.map(({ path }) => path)).size).toBe(texts.suggested.length)
    for (const { path } of texts.suggested) expect(path).toMatch(/^\/(faq#|blog\/)[a-z0-9-]+$/)
  })
})
