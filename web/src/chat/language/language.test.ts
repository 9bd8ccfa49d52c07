// @vitest-environment jsdom

import englishFile from '@proctorpass/shared/languages/en.json'
import chineseFile from '@proctorpass/shared/languages/zh.json'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { pageState } from '../../lib/page-state.ts'
import { givePageState, testLanguages } from '../../testing/page-state.ts'
import { chinese, english, serveWords } from '../../testing/words.ts'
import { chooseLanguage } from './choose-language.ts'
import { fill } from './fill.ts'
import { loadLanguage, useLanguage } from './language.ts'

const browserSpeaks = (...languages: string[]) =>
  vi.spyOn(navigator, 'languages', 'get').mockReturnValue(languages)

givePageState()

let asked: string[] = []
beforeEach(() => {
  localStorage.clear()
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
  pageState().languages = testLanguages
  asked = serveWords()
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
    expect(useLanguage.getState().words).toEqual(tag === 'zh' ? chinese : null)
    expect(asked).toEqual(tag === 'zh' ? ['/words/zh.json?v=revision'] : [])
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

  it('is the one that the website asks for, unless the visitor chose another', async () => {
    browserSpeaks('en-US')
    await loadLanguage('zh-Hans-CN')
    expect(useLanguage.getState().tag).toBe('zh')
    localStorage.setItem('chat:language', 'en')
    await loadLanguage('zh')
    expect(useLanguage.getState().tag).toBe('en')
  })

  it('is English if the words cannot be loaded', async () => {
    pageState().languages = { revision: 'revision', tags: ['de', 'en'] }
    browserSpeaks('de-DE')
    await loadLanguage()
    expect(useLanguage.getState()).toMatchObject({ tag: 'en', words: null, ready: true })
    await expect(chooseLanguage('de')).rejects.toThrow()
    expect(localStorage.getItem('chat:language')).toBeNull()
  })

  it('loads English too if the operator changed it', async () => {
    pageState().languages = { ...testLanguages, ownEnglish: true }
    asked = serveWords({ en: { ...englishFile, 'view.send': 'Post' } })
    browserSpeaks('en-US')
    await loadLanguage()
    expect(asked).toEqual(['/words/en.json?v=revision'])
    expect(useLanguage.getState().words?.view.send).toBe('Post')
  })

  it('has full-width punctuation in Chinese', () => {
    const texts = Object.values(chineseFile).flatMap((text) =>
      typeof text === 'string' ? text : Object.values(text),
    )
    expect(texts.filter((text) => /\p{Script=Han}\s?[,.!?:;()]/u.test(text))).toEqual([])
  })

  it('has the plural forms of its own', () => {
    const few = { one: '{count} a', few: '{count} b', other: '{count} c' }
    expect(fill(english.panel.wait, { count: 1 })).toBe('Usually answers in about 1 minute')
    expect(fill(english.panel.wait, { count: 2 })).toBe('Usually answers in about 2 minutes')
    expect([1, 3, 5].map((count) => fill(few, { count }, 'pl'))).toEqual(['1 a', '3 b', '5 c'])
  })

  it('fills in values as they are', () => {
    expect(fill('{name} and {name}', { name: '$& {other}' })).toBe('$& {other} and $& {other}')
  })
})
