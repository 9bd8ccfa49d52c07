import { afterEach, expect, it, vi } from 'vitest'
import { inLanguage, wordsOf } from './words.ts'

const TEXTS = {
  en: 'English',
  fi: 'Finnish',
  pt: 'Brazilian',
  'pt-br': 'Brazilian',
  zh: 'Chinese',
  'zh-hant': 'Traditional',
}

afterEach(() => vi.unstubAllGlobals())

it.each([
  ['pt-BR', 'Brazilian'],
  ['pt-PT', 'Brazilian'],
  ['PT', 'Brazilian'],
  ['zh_CN', 'Chinese'],
  ['zh-Hant-TW', 'Traditional'],
  ['en-GB', 'English'],
  ['fil', 'English'],
  ['\n', 'English'],
  ['', 'English'],
])('in %s, a text is %s', (locale, text) => {
  vi.stubGlobal('navigator', { language: locale })
  expect(inLanguage(TEXTS, null)).toBe(text)
  vi.stubGlobal('navigator', { language: 'de' })
  if (locale !== '') expect(inLanguage(TEXTS, locale)).toBe(text)
})

it("a browser without a language has the loader's own words in English", () => {
  vi.stubGlobal('navigator', {})
  expect([wordsOf(null).close, wordsOf('zh-TW').close]).toEqual(['Close', '关闭'])
})
