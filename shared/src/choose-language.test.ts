import { expect, it } from 'vitest'
import { chooseLanguage } from './choose-language.ts'

const TAGS = ['de', 'en', 'fil', 'pt-BR', 'sr-Latn', 'zh', 'zh-Hant', 'zh-Hant-HK']

it.each([
  ['zh-Hant-HK', 'zh-Hant-HK'],
  ['zh-Hant-TW', 'zh-Hant'],
  ['zh-Hans-CN', 'zh'],
  ['de-AT', 'de'],
  ['pt', 'pt-BR'],
  ['pt-PT', 'pt-BR'],
  ['sr-Cyrl-RS', 'sr-Latn'],
  ['fi', undefined],
  ['d', undefined],
  ['', undefined],
])('chooses for %j %j', (locale, tag) => {
  expect(chooseLanguage(locale, TAGS)).toBe(tag)
})
