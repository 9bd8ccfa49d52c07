import { describe, expect, it } from 'vitest'
import { HeadingIds } from './heading-ids.ts'

const idsOf = (...texts: string[]) => {
  const ids = new HeadingIds()
  return texts.map((text) => ids.of(text))
}

/** How 1.0.0 made the ID of a heading in Latin script. */
function before(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/['’]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

describe('the ID of a heading', () => {
  it.each([
    "Can't I just try?",
    'Résumé, naïve: ½ ﬁne',
    'Łódź & Ærø – 2–3 min',
    'İstanbul',
    "  What's “new”?  ",
  ])('is for Latin letters as it was in 1.0.0: %s', (text) => {
    expect(idsOf(text)).toEqual([before(text)])
  })

  it.each([
    ['怎么退款？', '怎么退款'],
    ['हिन्दी में प्रश्न', 'हिन्दी-में-प्रश्न'],
    ['Что такое ProctorU?', 'что-такое-proctoru'],
    ['كيف أدفع؟ ١٢', 'كيف-أدفع-١٢'],
    ['ガイド가나', 'ガイド가나'],
  ])('keeps the letters of other scripts: %s', (text, id) => {
    expect(idsOf(text)).toEqual([id])
  })

  it('is unique, also beside the IDs that each page has', () => {
    expect(idsOf('How?', 'How?', 'Menu', 'How 2')).toEqual(['how', 'how-2', 'menu-2', 'how-2-2'])
  })

  it('is a number for a heading without letters', () => {
    expect(idsOf('One', '???', '')).toEqual(['one', 'part-2', 'part-3'])
  })
})
