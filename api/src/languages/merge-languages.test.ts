import { brotliCompressSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { mergeLanguages, wholeFile, widgetTexts } from './merge-languages.ts'
import { SHIPPED_TAGS, shippedTexts } from './shipped.ts'

const merged = (uploads: object = {}, files: object = {}) =>
  mergeLanguages(new Map(Object.entries(uploads)), new Map(Object.entries(files)))
const find = (tag: string, ...own: Parameters<typeof merged>) => merged(...own).languages.get(tag)

it.each(SHIPPED_TAGS)('a visitor downloads at most 4 KB of words in %s', (tag) => {
  const language = find(tag)
  if (language === undefined) throw new Error('missing')
  expect(brotliCompressSync(JSON.stringify(widgetTexts(language))).length).toBeLessThan(4_096)
  expect(language).toMatchObject({ isShipped: true, own: null, missing: 0 })
})

it.each(['ar', 'fa', 'he'])('%s is written from right to left', (tag) => {
  expect(find(tag)?.dir).toBe('rtl')
})

it('takes each key from the file, the upload, the release, or English', () => {
  const uploads = { de: { 'view.send': 'A', 'view.sent': 'B' }, en: { 'view.seen': 'Read' } }
  const files = { de: { 'view.send': 'C' }, sw: { 'view.send': 'Tuma' } }
  expect(find('de', uploads, files)).toMatchObject({
    own: 'file',
    texts: { 'view.send': 'C', 'view.sent': 'B', 'view.seen': shippedTexts('de')?.['view.seen'] },
  })
  expect(find('sw', uploads, files)).toMatchObject({
    ...{ isShipped: false, own: 'file', dir: 'ltr' },
    texts: { 'view.send': 'Tuma', 'view.sent': 'Sent', 'view.seen': 'Read' },
  })
})

it('lists languages in the order of their tags, so that a longer tag follows its beginning', () => {
  const tags = [...merged({ 'zh-Hant': {}, pt: {} }).languages.keys()]
  expect(tags).toEqual(tags.toSorted())
  expect(tags.indexOf('pt')).toBe(tags.indexOf('pt-BR') - 1)
})

it('leaves out the languages after the fiftieth, and says so', () => {
  const uploads = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `q${String.fromCharCode(97 + (n % 26), 97 + Math.floor(n / 26))}`,
      {},
    ]),
  )
  const { languages, problems } = merged(uploads)
  expect(languages.size).toBe(50)
  expect(problems).toHaveLength(SHIPPED_TAGS.length + 40 - 50)
  expect(problems[0]?.message).toMatch(/^languages\/q\w+\.json: the file is one language too many/)
})

it('gives a downloaded file the forms that the language needs', () => {
  const language = find('hr', { hr: {} })
  const file = language && wholeFile(language)
  expect(Object.keys(file?.['view.newMessages'] ?? {}).sort()).toEqual(['few', 'one', 'other'])
})
