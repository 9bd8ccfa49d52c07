import { randomInt } from 'node:crypto'
import { AppError, type ErrorDetail, fieldErrors } from '@proctorpass/shared/errors'
import type { TextFieldsByKind } from '@proctorpass/shared/fields/page-texts'
import { FAQ_QUESTIONS_MAX } from '@proctorpass/shared/limits'
import type { Faq, FaqOrder, NewQuestion, Question, QuestionChange } from '@proctorpass/shared/schemas/faq'
import { questionKey } from '@proctorpass/shared/text-keys'
import { auditEntry } from '../audit/entry.ts'
import type { AdminCaller } from '../auth/caller.ts'
import type { PostCleaner } from '../content/clean-post.ts'
import { ENGLISH } from '../content/languages.ts'
import { createDeletedQuestions } from './deleted-questions.ts'
import {
  anchorOf,
  asShipped,
  inOrder,
  isSameOrder,
  type Placed,
  shownGroup,
  withAdded,
  without,
  withRestored,
} from './question-list.ts'
import type { QuestionList } from './questions.ts'
import { cleaned, completed, jsonOf } from './text-fields.ts'
import type { Texts, TextsDeps } from './texts.ts'

type QuestionFields = TextFieldsByKind['question']
type FaqFields = TextFieldsByKind['faq']

interface FaqDeps extends TextsDeps {
  texts: Texts
  clean: PostCleaner
}

/** The use cases for the FAQ: everyone reads it; admins add, change, order, and delete questions. */
export function createFaq(deps: FaqDeps) {
  const { storage, shipped, questions, checks, texts, reader, contentRevision, clean, now } = deps
  const deleted = createDeletedQuestions(deps)

  async function groupsIn(lang: string): Promise<FaqFields['groups']> {
    const { fields } = await texts.read('faq', ENGLISH)
    const english = (fields as FaqFields).groups
    if (lang === ENGLISH) return english
    const translated = new Map(
      ((await texts.read('faq', lang)).fields as FaqFields).groups.map(({ id, title }) => [id, title]),
    )
    return english.map(({ id, title }) => ({ id, title: translated.get(id) ?? title }))
  }

  async function read(lang?: string): Promise<Faq> {
    const shownLang = await reader.shownLanguage(lang)
    const list = await questions.read()
    const [groups, rows] = await Promise.all([groupsIn(shownLang), questions.storedIn(shownLang)])
    const items: Question[] = []
    for (const [order, placed] of list.items.entries()) {
      const { _id } = placed
      const found = rows.get(_id)
      const own = found?.own ? found : undefined
      // A question that is shipped again has a version, but a translation that is gone has none.
      const version = (shownLang === ENGLISH ? found : own)?.version ?? 0
      const row = own ?? list.english.get(_id)
      const ships = shipped.fields(questionKey(_id))
      const stored = row && completed('question', row.fields ?? '{}', ships)
      const fields = stored ? await cleaned('question', stored, clean) : ships
      if (fields === undefined) continue
      const { question, answer } = fields as QuestionFields
      items.push({
        ...{ _id, group: shownGroup(placed, groups, shipped.faq), question, answer },
        ...{ lang: own ? shownLang : ENGLISH, order },
        ...{ state: row ? 'own' : 'shipped', version },
      })
    }
    return { items, groups, version: list.version }
  }

  async function item(id: string, lang?: string): Promise<Question> {
    const found = (await read(lang)).items.find(({ _id }) => _id === id)
    if (found === undefined) throw notFound()
    return found
  }

  /** Stores a question's words under a new ID, and returns it. The insertion decides who has the ID. */
  async function claim(admin: AdminCaller, fields: string, wanted: string | null): Promise<string> {
    if (wanted !== null) await deleted.endOne(wanted)
    const { items } = await questions.read()
    const groups = await groupsIn(ENGLISH)
    const taken = new Set([...items, ...shipped.faq.items].map(({ _id }) => _id))
    for (const { id } of [...groups, ...shipped.faq.groups]) taken.add(id)
    for (let n = 1; ; n += 1) {
      const base = wanted ?? `q-${letters(8)}`
      const id = n === 1 || wanted === null ? base : `${base}-${n}`
      if (taken.has(id)) continue
      const _id = `${ENGLISH} ${questionKey(id)}`
      await storage.versions.show(`text ${_id}`, 1, fields)
      const text = { _id, version: 1, at: now(), by: admin.userId, own: true, base: null, fields }
      if (await storage.texts.write(text)) return id
    }
  }

  function expectRoom({ items }: Pick<QuestionList, 'items'>): void {
    if (items.length < FAQ_QUESTIONS_MAX) return
    throw new AppError(
      'conflict',
      `There are already ${FAQ_QUESTIONS_MAX} questions. Delete one to add another.`,
    )
  }

  return {
    read,

    /**
     * Adds a question as the last one of its group. Throws an AppError `invalid-input` with a detail for each wrong field,
     * `too-large`, and `conflict` if there are already FAQ_QUESTIONS_MAX.
     */
    async add(admin: AdminCaller, { group, ...sent }: NewQuestion): Promise<Question> {
      expectRoom(await questions.read())
      const isGroup = (await groupsIn(ENGLISH)).some(({ id }) => id === group)
      const more = isGroup ? [] : [{ field: 'group', message: 'Choose one of the groups' }]
      const fields = await named(() => checks.checkedQuestion(sent), more)
      const id = await claim(admin, jsonOf('question', fields), anchorOf(fields.question))
      try {
        await questions.change((list) => {
          expectRoom(list)
          return withAdded(list.stored, { _id: id, group })
        })
      } catch (error) {
        await deleted.forget(id).catch(() => {})
        throw error
      }
      await contentRevision.changed()
      return item(id)
    },

    /**
     * Changes a question's texts in a language. The first translation has both. Throws as `texts.write` does, with details
     * by the names `question` and `answer`.
     */
    async change(
      admin: AdminCaller,
      id: string,
      { version, ...sent }: QuestionChange,
      lang = ENGLISH,
    ): Promise<Question> {
      const before = await item(id, lang)
      const { question = before.question, answer = before.answer } = sent
      if (sent.question === undefined && sent.answer === undefined) {
        throw new AppError('invalid-input', 'There are no changes to save.')
      }
      const fields = before.lang === lang ? { question, answer } : sent
      await named(() => texts.write(admin, questionKey(id), { fields, version }, lang))
      return item(id, lang)
    },

    /**
     * Deletes a question, which can be restored for an hour. A shipped one also comes back with the shipped list. Throws an
     * AppError `not-found`.
     */
    async remove(admin: AdminCaller, id: string): Promise<void> {
      const { question } = await item(id)
      const isShipped = questions.isShipped(id)
      const entry = auditEntry(admin, 'question.deleted', { target: id, details: { question } })
      await questions.change(
        ({ stored, items }) => {
          if (!items.some(({ _id }) => _id === id)) throw notFound()
          return without(stored, id, { now: items, isShipped, at: now() })
        },
        { entry },
      )
      await contentRevision.changed()
      // The question is deleted. If this fails, the next call ends what is too old.
      await deleted.endOld().catch(() => {})
    },

    /**
     * Brings a deleted question back to its place, with its words and history in all languages. Throws an AppError
     * `not-found` if it was deleted too long ago, and `conflict` if there are already FAQ_QUESTIONS_MAX.
     */
    async restore(admin: AdminCaller, id: string): Promise<Question> {
      const found = await deleted.find(id)
      if (found === null) throw cannotRestore()
      const details = { question: found.question }
      const entry = auditEntry(admin, 'question.restored', { target: id, details })
      await questions.change(
        (list) => {
          const question = list.stored.deleted?.find(({ _id }) => _id === id)
          if (question === undefined) throw cannotRestore()
          expectRoom(list)
          return withRestored(list.stored, question, { now: list.items, following: list.following })
        },
        { entry },
      )
      await contentRevision.changed()
      return item(id)
    },

    /** Forgets what was deleted too long ago to be restored. Call this from time to time. */
    forgetDeleted: deleted.endOld,

    /**
     * Orders the questions. Throws an AppError `invalid-input` unless each question is there once, in one of the groups,
     * and `conflict` if another version of the list is stored.
     */
    async order(_admin: AdminCaller, { items, version }: FaqOrder): Promise<Faq> {
      const groups = await groupsIn(ENGLISH)
      await questions.change(
        (list) => {
          const details = orderProblems(items, list.items, groups)
          if (details.length > 0) throw fieldErrors(details)
          return isSameOrder(items, list.items) ? null : inOrder(list.stored, items)
        },
        { version },
      )
      await contentRevision.changed()
      return read()
    },

    /** Lets the list follow releases again. */
    async resetOrder(admin: AdminCaller): Promise<Faq> {
      const entry = auditEntry(admin, 'faq-order.reset')
      await questions.change(
        ({ stored }) => (stored.items === null ? null : asShipped(stored, questions.isShipped)),
        { entry },
      )
      await contentRevision.changed()
      return read()
    },
  }
}

export type FaqUseCases = ReturnType<typeof createFaq>

/** Names the fields of a text as those of a question. */
async function named<T>(write: () => Promise<T>, more: ErrorDetail[] = []): Promise<T> {
  try {
    const written = await write()
    if (more.length > 0) throw fieldErrors(more)
    return written
  } catch (error) {
    if (!(error instanceof AppError) || error.details === undefined || error.details === more) throw error
    const details = error.details.map(({ field, message }) => ({
      field: field.replace(/^fields\//, ''),
      message,
    }))
    throw fieldErrors([...details, ...more], { code: error.code, cause: error })
  }
}

function orderProblems(
  items: readonly Placed[],
  now: readonly Placed[],
  groups: readonly { id: string }[],
): ErrorDetail[] {
  const ids = new Set(items.map(({ _id }) => _id))
  if (ids.size !== items.length || items.length !== now.length || !now.every(({ _id }) => ids.has(_id))) {
    return [{ field: 'items', message: 'Each question must be in the list once' }]
  }
  return items.flatMap(({ group }, index) =>
    groups.some(({ id }) => id === group)
      ? []
      : [{ field: `items/${index}/group`, message: 'Choose one of the groups' }],
  )
}

function letters(count: number): string {
  return Array.from({ length: count }, () => String.fromCharCode(97 + randomInt(26))).join('')
}

const cannotRestore = () => new AppError('not-found', 'This question can no longer be restored.')
const notFound = () => new AppError('not-found', 'Question not found.')
