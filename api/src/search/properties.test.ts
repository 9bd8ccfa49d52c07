import { foldText } from '@proctorpass/shared/fold'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { elementsOf, indexTermsOf } from './elements.ts'
import type { Range } from './match.ts'
import { parseQuery } from './query.ts'
import { snippetOf } from './snippet.ts'

/** Characters that are folded, joined or cut, beside any others. */
const CHARACTERS = [
  ...'abzß0123450067ıİŁøæﬁ½Ⅷ①٣५๔１ＡéñЁйσςΣ',
  'e\u0301',
  'n\u0303\u0323',
  '\u00ad',
  '\u200b',
  '\u200d',
  '\u0640',
  '\ufe0f\u20e3',
  '\u0301',
  ...'摄像头ー々カガｶﾞ한글시험\u1112\u1161\u11ab',
  ...'สอบน้ำพรุ่งນ້ຳខ្ញុំကျွန်हिन्दीகொموآإةىیکשָׁ',
  ...'𠮷😀ﷺ',
  '.',
  ',',
  '-',
  '/',
  ' ',
  ' ',
  ' ',
  '+',
  "'",
  '(',
  ')',
  '\n',
  '\u00a0',
  '\u202f',
]
const texts = fc
  .array(
    fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...CHARACTERS) },
      fc.string({ unit: 'binary', maxLength: 1 }),
    ),
    {
      minLength: 1,
      maxLength: 60,
    },
  )
  .map((parts) => parts.join(''))

/** The words of a text, as a person takes them from it. Quotation marks mean a phrase. */
function wordsOf(text: string): string[] {
  const words = text.replace(/["“”„＂〝〞]/g, ' ').split(/\s+/)
  return words.filter((word) => word.length < 100 && elementsOf({ text: foldText(word) }).length > 0)
}

const squeezed = (text: string) =>
  elementsOf({ text: foldText(text) })
    .map((element) => element.text)
    .join('')

/** What the query marks in the text, unless its terms or the comparison miss it. */
function found(text: string, q: string): Range[] | null {
  const query = parseQuery(q)
  if (query === null) return null
  const terms = indexTermsOf(text)
  const hasTerms =
    query.terms.whole.every((term) => terms.includes(term)) &&
    query.terms.beginning.every((beginning) => terms.some((term) => term.startsWith(beginning)))
  return hasTerms ? query.match(text) : null
}

const separators = fc.constantFrom('', '', '', '.', ',', '-', '/', ' ', ' - ', ') ', "'", '\u00a0')
/** Some digits, with and without separators between them. */
const numbers = fc
  .array(fc.record({ digit: fc.constantFrom(...'0012345'), text: separators, query: separators }), {
    minLength: 4,
    maxLength: 24,
  })
  .map((digits) => {
    const written = (by: 'text' | 'query') =>
      digits.map((one, index) => (index === 0 ? '' : one[by]) + one.digit).join('')
    return { text: written('text'), query: written('query') }
  })

describe('whatever people write,', () => {
  it('each word of a text finds it, alone and with the others', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const words = wordsOf(text)
        for (const word of words) {
          expect(found(text, word), word).not.toBeNull()
          expect(found(text, `${word} ${words[0]}`), `${word} ${words[0]}`).not.toBeNull()
        }
        if (words.length > 0) expect(found(text, words.toReversed().join(' '))).not.toBeNull()
      }),
      { numRuns: 500 },
    )
  })

  it('marks lie on the characters of the word', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const word of wordsOf(text)) {
          const ranges = found(text, word) ?? []
          // A query is parted at what is folded into a space, and at a trunk zero.
          if (/\s|\(0\)/.test(foldText(word))) continue
          const wanted = squeezed(word).replace(/^0+|0+$/g, '')
          const marked = ranges.map(({ start, end }) => text.slice(start, end))
          expect(
            marked.some((mark) => squeezed(mark).includes(wanted)),
            `${word}: ${marked}`,
          ).toBe(true)
          for (const { start, end } of ranges) {
            expect(
              /^[\udc00-\udfff]/.test(text.slice(start)) && /[\ud800-\udbff]$/.test(text.slice(0, start)),
            ).toBe(false)
            expect(start).toBeLessThan(end)
          }
          const snippet = snippetOf(text, ranges)
          expect(snippet.filter(({ match }) => match).map((part) => part.text)).toEqual(marked.slice(0, 20))
          expect(snippet.map((part) => part.text).join('')).toBe(text)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('a number finds itself with other separators', () => {
    fc.assert(
      fc.property(numbers, fc.constantFrom('', 'No. ', 'AB-', '12 AB'), ({ text, query }, before) => {
        expect(found(`It is ${before}${text}, ok`, query), query).not.toBeNull()
        expect(found(`It is ${before}${text}, ok`, `${query} ok`), query).not.toBeNull()
      }),
      { numRuns: 1_000 },
    )
  })

  it('no text or query takes longer than its length explains', () => {
    fc.assert(
      fc.property(texts, texts, (text, q) => {
        expect(indexTermsOf(text).length).toBeLessThanOrEqual(3 * foldText(text).length)
        parseQuery(q.slice(0, 200))?.match(text)
      }),
      { numRuns: 500 },
    )
  })
})
