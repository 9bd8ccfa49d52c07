import { describe, expect, it } from 'vitest'
import { parseQuery } from './query.ts'

describe('a query', () => {
  it('looks for a repeated word or phrase once', () => {
    expect(parseQuery('a '.repeat(100))?.parts).toBe(2)
    expect(parseQuery('"a b" '.repeat(20))?.parts).toBe(1)
    expect(parseQuery('摄 '.repeat(100))?.parts).toBe(2)
  })

  it('looks for each of many words', () => {
    const words = Array.from({ length: 60 }, (_, index) => String.fromCharCode(0x4e00 + index))
    const query = parseQuery(words.join(' '))
    expect(query?.parts).toBe(60)
    expect(query?.match(words.toReversed().join(' '))).toHaveLength(60)
    expect(query?.match(words.slice(1).join(' '))).toBeNull()
  })

  it('finds a word behind a sign and an accent that stands alone', () => {
    for (const word of ['(¨a', '(´a', '-˚a']) {
      expect(parseQuery(word)?.match(`b ${word}`)).toEqual([{ start: 4, end: 5 }])
      expect(parseQuery(`b ${word}`)?.match(`b ${word}`)).not.toBeNull()
    }
  })

  it('marks each place of a word once, also where it is the last one too', () => {
    const ranges = parseQuery('cam cam cam')?.match('A cam, and a camera')
    expect(ranges).toEqual([
      { start: 2, end: 5 },
      { start: 13, end: 19 },
    ])
  })
})
