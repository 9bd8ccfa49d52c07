// @vitest-environment jsdom

import { beforeEach, describe, expect, it, vi } from 'vitest'
import * as english from '../words/en.ts'
import zh from '../words/zh.ts'
import { chooseLanguage, LANGUAGES } from './choose-language.ts'
import { loadLanguage, useLanguage } from './language.ts'

const browserSpeaks = (...languages: string[]) =>
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages)

beforeEach(() => {
  localStorage.clear()
  vi.restoreAllMocks()
})

describe('the language of the widget', () => {
  it.each([
    [['zh-TW', 'en-US'], 'zh', 'zh-TW'],
    [['fr-FR', 'zh-CN', 'en'], 'zh', 'zh-CN'],
    [['en-GB', 'zh-CN'], 'en', 'en-GB'],
    [['fr-FR'], 'en', 'en'],
    [[], 'en', 'en'],
  ])('for a browser that speaks %j is %s, with times in %s', async (languages, tag, locale) => {
    browserSpeaks(...languages)
    await loadLanguage()
    expect(useLanguage.getState()).toMatchObject({ tag, locale, ready: true })
    expect(useLanguage.getState().words).toBe(tag === 'zh' ? zh : null)
  })

  it('is the chosen one, also after a reload, unless there is no such language any more', async () => {
    browserSpeaks('en-US')
    await chooseLanguage('zh')
    await loadLanguage()
    expect(useLanguage.getState().tag).toBe('zh')
    localStorage.setItem('chat:language', 'xx')
    await loadLanguage()
    expect(useLanguage.getState().tag).toBe('en')
  })

  it('has a file for each language, with the placeholders of the English texts', () => {
    expect(LANGUAGES).toEqual(expect.arrayContaining(['en', 'zh']))
    // Errors of the server that have no words are shown in English.
    const placeholders = ({ refusals: _, ...words }: object & { refusals: object }) =>
      JSON.stringify(words).match(/\{\w+\}/g)
    expect(placeholders(zh)).toEqual(placeholders(english))
    expect(zh.later.scores).toHaveLength(5)
  })

  it('has full-width punctuation in Chinese', () => {
    const texts = Object.values(zh).flatMap((part) => Object.values(part).flat().map(String))
    expect(
      texts.filter((text) => /\p{Script=Han}\s?[,.!?:;()]/u.test(text.replace(/'[^']*'\.|=>|\(\w/g, ''))),
    ).toEqual([])
  })

  it('has the plural forms of its own', () => {
    expect(english.panel.wait(1)).toBe('Usually answers in about 1 minute')
    expect(english.panel.wait(2)).toBe('Usually answers in about 2 minutes')
  })
})
