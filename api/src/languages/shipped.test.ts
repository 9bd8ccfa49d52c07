import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

type Text = string | Record<string, string>

const FOLDER = join(import.meta.dirname, '../../../shared/languages')
const CHARACTERS_MAX = 1_000
const FILE_BYTES_MAX = 64 * 1024
/** What a visitor may download for a language, as Brotli. */
const WIDGET_BYTES_MAX = 6.4 * 1024
const RIGHT_TO_LEFT = ['ar', 'fa', 'he']

/** Words that a language shares with English. */
const SHARED: Record<string, string[]> = {
  de: ['panel.support', 'later.name', 'later.optional'],
  fr: ['panel.messages', 'panel.photo', 'later.fileName'],
  nl: ['panel.support'],
}

const languages = new Map(
  readdirSync(FOLDER).map((name) => {
    const file = readFileSync(join(FOLDER, name), 'utf8')
    return [name.replace(/\.json$/, ''), { file, texts: JSON.parse(file) as Record<string, Text> }]
  }),
)
const english = languages.get('en')?.texts ?? {}
const tags = [...languages.keys()]
const others = tags.filter((tag) => tag !== 'en')

const formsOf = (text: Text) => (typeof text === 'string' ? { other: text } : text)
const placeholders = (text: string) => (text.match(/\{\w*\}/g) ?? []).sort()

/** Returns the files' wrong texts, so that a failure names all of them. */
function wrong(
  tag: string,
  isWrong: (form: string, category: string, key: string) => boolean,
): [key: string, form: string][] {
  return Object.entries(languages.get(tag)?.texts ?? {}).flatMap(([key, text]) =>
    Object.entries(formsOf(text))
      .filter(([category, form]) => isWrong(form, category, key))
      .map(([, form]): [string, string] => [key, form]),
  )
}

describe('the languages', () => {
  it('are 22, with canonical tags', () => {
    expect(tags).toHaveLength(22)
    expect(tags.flatMap((tag) => Intl.getCanonicalLocales(tag))).toEqual(tags)
  })

  it.each(tags)('has the keys of English in their order: %s', (tag) => {
    expect(Object.keys(languages.get(tag)?.texts ?? {})).toEqual(Object.keys(english))
  })

  it.each(tags)('has a plural form for each category of its own, and no other: %s', (tag) => {
    const { pluralCategories } = new Intl.PluralRules(tag).resolvedOptions()
    for (const [key, text] of Object.entries(languages.get(tag)?.texts ?? {})) {
      expect(typeof text, key).toBe(typeof english[key])
      if (typeof text === 'object') expect(Object.keys(text).sort(), key).toEqual(pluralCategories.toSorted())
    }
  })

  it.each(tags)('has the placeholders of English: %s', (tag) => {
    const isWrong = (form: string, category: string, key: string) => {
      const expected = placeholders(formsOf(english[key] ?? '').other ?? '')
      const found = placeholders(form)
      const mayLackCount = ['zero', 'one', 'two'].includes(category) && found.length === 0
      return !mayLackCount && found.join() !== expected.join()
    }
    expect(wrong(tag, isWrong)).toEqual([])
  })

  it.each(tags)('has short plain texts without spaces around them: %s', (tag) => {
    const isWrong = (form: string) =>
      form === '' || form !== form.trim() || [...form].length > CHARACTERS_MAX || /[<\p{Cc}]| {2}/u.test(form)
    expect(wrong(tag, isWrong)).toEqual([])
  })

  it.each(others)('is not in English: %s', (tag) => {
    const isEnglish = (form: string, _category: string, key: string) =>
      key !== 'language.dir' && formsOf(english[key] ?? '').other === form
    expect(wrong(tag, isEnglish).map(([key]) => key)).toEqual(SHARED[tag] ?? [])
  })

  it.each(tags)('has the direction of its script: %s', (tag) => {
    expect(languages.get(tag)?.texts['language.dir']).toBe(RIGHT_TO_LEFT.includes(tag) ? 'rtl' : 'ltr')
  })

  it.each(tags)("begins what follows the button's name with its own comma: %s", (tag) => {
    const isWrong = (form: string, _category: string, key: string) =>
      ['launcher.unread', 'launcher.hasMessages'].includes(key) && !/^(, |، |、|，)/.test(form)
    expect(wrong(tag, isWrong)).toEqual([])
  })

  it.each(tags)('names the file of a conversation as every system allows: %s', (tag) => {
    expect(languages.get(tag)?.texts['later.fileName']).toMatch(/^[\p{L}\p{M}\u200c-]+$/u)
  })

  it.each(tags)('names the link in mails that the widget speaks of: %s', (tag) => {
    const texts = languages.get(tag)?.texts ?? {}
    expect(texts['later.mailOff']).toContain(texts['mail.unsubscribe'])
  })

  it('are small', () => {
    const sizes = [...languages].map(([tag, { file, texts }]) => {
      expect(Buffer.byteLength(file), tag).toBeLessThanOrEqual(FILE_BYTES_MAX)
      const widget = Object.entries(texts).filter(([key]) => !/^(mail|page)\./.test(key))
      return { tag, bytes: brotliCompressSync(JSON.stringify(Object.fromEntries(widget))).length }
    })
    const largest = sizes.reduce((one, other) => (other.bytes > one.bytes ? other : one))
    expect(largest.bytes, `the largest language is ${largest.tag}`).toBeLessThanOrEqual(WIDGET_BYTES_MAX)
  })
})
