import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LANGUAGE_TEXT_MAX } from '@proctorpass/shared/limits'
import { checkTexts, isLanguageTag } from '../../../src/languages/check-texts.ts'
import { createLanguageFolder } from '../../../src/languages/language-folder.ts'
import { mergeLanguages, wholeFile, widgetTexts } from '../../../src/languages/merge-languages.ts'
import { ENGLISH } from '../../../src/languages/shipped.ts'
import type { Target } from '../loop.ts'

export const isJson = true
export const words = [
  ...Object.keys(ENGLISH),
  ...[
    '{count}',
    '{name}',
    '{max}',
    '{',
    '}',
    'one',
    'two',
    'few',
    'many',
    'other',
    'zero',
    'ltr',
    'rtl',
    '<b>',
    '\u202e',
  ],
  ...[
    'ar',
    'pt-BR',
    'zh-Hant-TW',
    'iw',
    'de',
    'pl',
    'en',
    '../x',
    '\ufeff',
    '\u2028',
    '\u200f',
    '\ud83d\ude00',
  ],
]

/** The first line names the language, and the rest is its file. */
export async function open(): Promise<Target> {
  const dataDir = mkdtempSync(join(tmpdir(), 'proctorpass-fuzz-languages-'))
  const folder = join(dataDir, 'languages')

  return {
    async beforeRun() {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder)
    },
    async run(input) {
      const end = input.indexOf(10)
      const first = input.subarray(0, Math.max(0, end)).toString()
      const tag = /^[\w-]{1,40}$/.test(first) ? first : 'de'
      writeFileSync(join(folder, `${tag}.json`), input.subarray(end + 1))
      const { texts, problems } = await createLanguageFolder(dataDir)()
      for (const { message } of problems) {
        if (!/^languages\/[\p{L}\p{M}\p{N}\p{P}\p{S} \u200c\u200d]{10,300}\.$/u.test(message))
          throw new Error(`Not a sentence: ${JSON.stringify(message)}`)
      }
      const { languages } = mergeLanguages(new Map(), texts)
      for (const [each, language] of languages) {
        if (!texts.has(each)) continue
        if (!isLanguageTag(each)) throw new Error(`${each} is no tag.`)
        const whole = wholeFile(language)
        const wrong = checkTexts(each, JSON.parse(JSON.stringify(whole))).problems
        if (wrong.length > 0) throw new Error(`The whole file is refused: ${JSON.stringify(wrong)}`)
        const shown = Object.values(widgetTexts(language)).flatMap((text) =>
          typeof text === 'string' ? [text] : Object.values(text),
        )
        for (const text of shown) {
          if (/<[a-z/!]|\n/i.test(text) || !text.isWellFormed() || text.length > 2 * LANGUAGE_TEXT_MAX)
            throw new Error(`A text is ${JSON.stringify(text).slice(0, 200)}.`)
        }
      }
      return problems.map(({ message }) => message.replace(/^\S+ \S+ /, ''))
    },
    async close() {
      rmSync(dataDir, { recursive: true })
    },
  }
}
