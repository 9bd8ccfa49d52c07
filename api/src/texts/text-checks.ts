import { type ErrorDetail, fieldError } from '@proctorpass/shared/errors'
import type { TextFields, TextFieldsByKind } from '@proctorpass/shared/fields/page-texts'
import { FAQ_CONTENT_BYTES_MAX } from '@proctorpass/shared/limits'
import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import { questionIdIn, questionKey } from '@proctorpass/shared/text-keys'
import type { PostCleaner } from '../content/clean-post.ts'
import { ENGLISH } from '../content/languages.ts'
import { groupProblems, shownGroup } from './question-list.ts'
import type { Questions } from './questions.ts'
import { checkFields, jsonOf } from './text-fields.ts'
import type { Place, TextReader } from './text-reader.ts'

interface TextChecksDeps {
  shipped: ShippedTexts
  questions: Questions
  reader: TextReader
  clean: PostCleaner
}

/** Judges what admins write, also by what other texts say. */
export function createTextChecks({ shipped, questions, reader, clean }: TextChecksDeps) {
  /** `id` is the answer's question, which is empty for a new one. */
  async function checkAnswers(lang: string, id: string, answer: string): Promise<void> {
    const { items } = await questions.read()
    const rows = await questions.inLanguage(lang)
    let bytes = Buffer.byteLength(answer)
    for (const { _id } of items) {
      if (_id === id) continue
      const ships = lang === ENGLISH ? shipped.fields(questionKey(_id)) : undefined
      const fields = JSON.parse(rows.get(_id)?.fields ?? JSON.stringify(ships ?? {}))
      bytes += Buffer.byteLength((fields as Partial<TextFieldsByKind['question']>).answer ?? '')
    }
    if (bytes <= FAQ_CONTENT_BYTES_MAX) return
    const max = `${FAQ_CONTENT_BYTES_MAX / 1024} KB`
    throw fieldError('fields/answer', `All answers of a language together can have at most ${max}`, {
      code: 'too-large',
    })
  }

  async function checkGroups(place: Place, fields: TextFields): Promise<ErrorDetail[]> {
    if (place.kind !== 'faq') return []
    const english = (await reader.read({ ...place, lang: ENGLISH })).fields as TextFieldsByKind['faq']
    const { items } = await questions.read()
    return groupProblems((fields as TextFieldsByKind['faq']).groups, {
      ids: items.map(({ _id }) => _id),
      used: items.map((item) => shownGroup(item, english.groups, shipped.faq)),
      only: place.lang === ENGLISH ? null : english.groups,
    })
  }

  return {
    /**
     * Returns the fields as they are stored. Throws an AppError `invalid-input` with a detail for each wrong field, and
     * `too-large`.
     */
    async checked(place: Place, sent: unknown): Promise<string> {
      const fields = await checkFields(place.kind, sent, clean, (each) => checkGroups(place, each))
      const id = questionIdIn(place.key)
      if (id !== null) await checkAnswers(place.lang, id, (fields as TextFieldsByKind['question']).answer)
      return jsonOf(place.kind, fields)
    },

    /** Does what `checked` does for a new question in English. */
    async checkedQuestion(sent: { question: string; answer: string }): Promise<TextFieldsByKind['question']> {
      const fields = await checkFields('question', sent, clean, async () => [])
      const { question, answer } = fields as TextFieldsByKind['question']
      await checkAnswers(ENGLISH, '', answer)
      return { question, answer }
    },
  }
}

export type TextChecks = ReturnType<typeof createTextChecks>
