import { describe, expect, it } from 'vitest'
import { ARTICLE_SLUGS } from '../limits.ts'
import { kindOfKey } from '../text-keys.ts'
import { checkText, TEXT_RULES } from './page-texts.ts'

const terms = {
  title: 'Terms',
  description: 'What the business does, how orders and refunds work, and more.',
  heading: 'Terms',
  lead: 'Short and plain.',
  content: '<p>Preparation and support.</p>',
}

function problems(kind: Parameters<typeof checkText>[0], sent: unknown): string[] {
  return checkText(kind, sent).details.map(({ field }) => field)
}

/** The least that the rules of a kind allow. */
function sample(rule: (typeof TEXT_RULES)['home'][keyof (typeof TEXT_RULES)['home']] | object): unknown {
  const { is, of, parts, min } = rule as { is: string; of: object; parts: object; min: number }
  if (is === 'list') return [sample(of)]
  if (is === 'parts') return sampleOf(parts)
  return is === 'flag' ? false : 'x'.repeat(Math.max(1, min ?? 1))
}

function sampleOf(rules: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, sample(rule)]))
}

const home = sampleOf(TEXT_RULES.home)

describe('the keys of texts', () => {
  it('are those of pages, articles, and questions', () => {
    expect(kindOfKey('home')).toBe('home')
    expect(kindOfKey(`article:${ARTICLE_SLUGS[0]}`)).toBe('article')
    expect(kindOfKey('faq:refunds')).toBe('question')
    for (const key of ['', 'Home', 'article:', 'article:other', 'faq:', 'faq:A', 'faq:a/b', '__proto__']) {
      expect(kindOfKey(key)).toBeNull()
    }
  })
})

describe("a text's fields", () => {
  it('are trimmed, and keep spaces that do not break', () => {
    const { fields, details } = checkText('terms', { ...terms, lead: ' Prix\u00a0: \n 5\u00a0€ ' })
    expect(details).toEqual([])
    expect(fields).toEqual({ ...terms, lead: 'Prix\u00a0: 5\u00a0€' })
  })

  it('are all required, and no others are allowed', () => {
    expect(problems('terms', {})).toEqual(Object.keys(TEXT_RULES.terms).map((name) => `fields/${name}`))
    expect(problems('terms', { ...terms, other: 'x' })).toEqual(['fields/other'])
    expect(problems('terms', { ...terms, lead: ' \u200b' })).toEqual(['fields/lead'])
    expect(problems('terms', [])).toEqual(['fields'])
    expect(problems('terms', { ...terms, lead: 5 })).toEqual(['fields/lead'])
  })

  it('have limits in code points', () => {
    expect(problems('terms', { ...terms, title: '🙂'.repeat(65) })).toEqual([])
    expect(problems('terms', { ...terms, title: '🙂'.repeat(66) })).toEqual(['fields/title'])
    expect(problems('terms', { ...terms, description: 'x'.repeat(49) })).toEqual(['fields/description'])
    expect(problems('terms', { ...terms, description: 'x'.repeat(166) })).toEqual(['fields/description'])
    expect(problems('terms', { ...terms, heading: 'a\u202eb' })).toEqual(['fields/heading'])
  })

  it('have HTML of at most 512 KB', () => {
    const { details, tooLong } = checkText('terms', { ...terms, content: 'ü'.repeat(256 * 1_024 + 1) })
    expect(details).toEqual([])
    expect(tooLong.map(({ field }) => field)).toEqual(['fields/content'])
    expect(problems('terms', { ...terms, content: '' })).toEqual(['fields/content'])
  })

  it('have lists with one to eight entries', () => {
    expect(problems('home', home)).toEqual([])
    expect(problems('home', { ...home, tagline: [] })).toEqual(['fields/tagline'])
    expect(problems('home', { ...home, tagline: Array(9).fill('x') })).toEqual(['fields/tagline'])
    expect(problems('home', { ...home, steps: [{ title: 'x', text: 'x'.repeat(601) }] })).toEqual([
      'fields/steps/0/text',
    ])
    const messages = [{ isFromTeam: 'no', text: 'x' }]
    const exchange = { caption: 'x', visitor: 'x', messages }
    expect(problems('home', { ...home, exchange })).toEqual(['fields/exchange/messages/0/isFromTeam'])
  })

  it('have images on our own pages', () => {
    const article = { ...sampleOf(TEXT_RULES.article), image: '/images/posts/a.svg', imageAlt: '' }
    expect(problems('article', article)).toEqual([])
    for (const image of [
      '',
      'a.svg',
      '//a.example/b.png',
      '/\\a.example',
      '/a"b',
      '/a b',
      'https://a.example',
    ]) {
      expect(problems('article', { ...article, image })).toEqual(['fields/image'])
    }
  })
})
