import type { TextFieldsByKind } from '@proctorpass/shared/fields/page-texts'
import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import { questionKey } from '@proctorpass/shared/text-keys'
import { ENGLISH } from '../content/languages.ts'
import type { Storage } from '../storage/model/storage.ts'
import { textIdParts } from '../storage/model/texts.ts'
import type { Uploads } from '../uploads/uploads.ts'
import type { DeletedQuestion } from './question-list.ts'
import type { Questions } from './questions.ts'

/** For how long a deleted question can come back. */
const KEPT_MS = 60 * 60 * 1_000
/** How many questions can come back. */
const KEPT_MAX = 20

interface DeletedQuestionsDeps {
  storage: Pick<Storage, 'texts' | 'versions'>
  shipped: ShippedTexts
  questions: Questions
  uploads: Pick<Uploads, 'release'>
  now: () => number
}

/** Keeps the words and the history of deleted questions for a while, in which a deletion can be undone. */
export function createDeletedQuestions(deps: DeletedQuestionsDeps) {
  const { storage, shipped, questions, uploads, now } = deps

  /** Removes a question's words and history in all languages: English last, because it holds the ID. */
  async function forget(id: string): Promise<void> {
    const key = questionKey(id)
    const rows = (await storage.texts.list()).filter(({ _id }) => textIdParts(_id).key === key)
    const langs = rows.map(({ _id }) => textIdParts(_id).lang).filter((lang) => lang !== ENGLISH)
    for (const lang of [...langs, ENGLISH]) {
      const released = await storage.versions.end(`text ${lang} ${key}`)
      await storage.texts.remove(lang, key)
      await uploads.release(released).catch(() => {})
    }
  }

  /** Lets some of the deleted questions go for good. The words of shipped ones stay, for they come back with the list. */
  async function end(choose: (deleted: readonly DeletedQuestion[]) => DeletedQuestion[]): Promise<void> {
    let ended: DeletedQuestion[] = []
    await questions.change(({ stored }) => {
      const deleted = stored.deleted ?? []
      ended = choose(deleted)
      return ended.length === 0
        ? null
        : { ...stored, deleted: deleted.filter((each) => !ended.includes(each)) }
    })
    for (const { _id } of ended) if (!questions.isShipped(_id)) await forget(_id)
  }

  const isOver = ({ at }: DeletedQuestion) => at + KEPT_MS <= now()

  return {
    forget,

    /** Ends what was deleted too long ago, and what is too much. */
    endOld: () =>
      end((deleted) => deleted.filter((each, index) => isOver(each) || index < deleted.length - KEPT_MAX)),

    /** Ends a question, because a new one takes its ID. */
    endOne: (id: string) =>
      end((deleted) => deleted.filter(({ _id }) => _id === id && !questions.isShipped(_id))),

    /** Returns a deleted question with its words in English. Null if it cannot come back. */
    async find(id: string): Promise<{ question: string } | null> {
      const { stored, english } = await questions.read()
      const deleted = stored.deleted?.find(({ _id }) => _id === id)
      if (deleted === undefined || isOver(deleted)) return null
      const fields = english.get(id)?.fields
      const words = fields ? JSON.parse(fields) : shipped.fields(questionKey(id))
      return words === undefined ? null : (words as TextFieldsByKind['question'])
    },
  }
}
