import { checkText } from '@proctorpass/shared/fields/page-texts'
import { kindOfKey, type TextKind } from '@proctorpass/shared/text-keys'
import { describe, expect, it } from 'vitest'
import { compiledTexts } from './compiled-texts.ts'
import { loadShippedTexts } from './shipped-texts.ts'
import { wrongTexts } from './wrong-texts.ts'

describe('the shipped texts', () => {
  it('keep the rules for the texts of the operator', () => {
    const { keys, fields } = loadShippedTexts()
    expect(keys.filter((key) => !key.includes(':'))).toEqual([
      ...['home', 'faq', 'blogs', 'reviews', 'contact', 'privacy', 'terms'],
    ])
    for (const key of keys) {
      const sent = fields(key)
      expect({ key, ...checkText(kindOfKey(key) as TextKind, sent) }).toEqual({
        ...{ key, details: [], tooLong: [], fields: sent },
      })
    }
    expect(fields('toString')).toBeUndefined()
  })

  it('have each question in a group', () => {
    const { groups, items } = loadShippedTexts().faq
    expect([...new Set(items.map(({ group }) => group))]).toEqual(groups.map(({ id }) => id))
    expect(items.map(({ _id }) => _id)).toContain('how-do-refunds-work')
  })

  it('have dates', () => {
    expect(loadShippedTexts().article('how-to-cheat-on-proctoru')).toMatchObject({
      ...{ published: '2026-07-28', updated: '2026-11-19', onlyFor: 'cheat' },
    })
    expect(loadShippedTexts().article('toString')).toBeUndefined()
  })

  it('have HTML that the cleaning of posts does not change', () => {
    const texts = compiledTexts()
    expect(wrongTexts(texts)).toEqual([])
    const terms = { ...texts.pages.terms, content: '<p>a</p><hr>' }
    expect(wrongTexts({ ...texts, pages: { ...texts.pages, terms } })).toEqual([
      expect.stringMatching(/^Terms: .*<hr>/),
    ])
  })
})
