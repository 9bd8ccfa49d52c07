import { changedMeanwhile } from '@proctorpass/shared/errors'
import type { ShippedTexts } from '@proctorpass/shared/shipped-texts'
import { questionIdIn } from '@proctorpass/shared/text-keys'
import { ENGLISH } from '../content/languages.ts'
import { type NewAuditEntry, withEntry } from '../storage/model/audit.ts'
import type { Storage } from '../storage/model/storage.ts'
import { type TextRecord, textIdParts } from '../storage/model/texts.ts'
import { arranged, type Placed, SHIPPED_LIST, type StoredList } from './question-list.ts'

const DOCUMENT = 'faq'

/** The FAQ's questions as they are arranged now. */
export interface QuestionList {
  items: Placed[]
  stored: StoredList
  version: number
  /** The stored questions by their IDs: those that were edited in English, and those that admins added. */
  english: ReadonlyMap<string, TextRecord>
  /** Returns the order that a list has while it follows releases. */
  following: (list: StoredList) => Placed[]
}

/** Reads and changes which questions there are, and in which order. Their words are texts. */
export function createQuestions({ storage, shipped }: { storage: Storage; shipped: ShippedTexts }) {
  const isShipped = (id: string) => shipped.faq.items.some(({ _id }) => _id === id)

  /** Returns the stored questions in the language, by their IDs, also those that are shipped again. */
  async function storedIn(lang: string): Promise<Map<string, TextRecord>> {
    const found = await storage.texts.questions(lang)
    return new Map(found.map((row) => [questionIdIn(textIdParts(row._id).key) ?? '', row] as const))
  }

  async function inLanguage(lang: string): Promise<Map<string, TextRecord>> {
    return new Map([...(await storedIn(lang))].filter(([, { own }]) => own))
  }

  async function read(): Promise<QuestionList> {
    const [document, english] = await Promise.all([
      storage.documents.read<StoredList>(DOCUMENT),
      inLanguage(ENGLISH),
    ])
    const stored = document?.value ?? SHIPPED_LIST
    const deleted = new Set(stored.deleted?.map(({ _id }) => _id))
    const edited = [...english]
      .filter(([id, { base }]) => base !== null && !deleted.has(id))
      .map(([id]) => id)
    const following = (list: StoredList) => arranged({ ...list, items: null }, shipped.faq, edited)
    const items = arranged(stored, shipped.faq, edited)
    return { items, stored, version: document?.version ?? 0, english, following }
  }

  return {
    isShipped,
    read,
    storedIn,
    /** Returns the questions that are written in the language, by their IDs. */
    inLanguage,

    exists: async (id: string) => (await read()).items.some(({ _id }) => _id === id),

    /**
     * Stores what `change` makes of the list under the next version, with an audit entry if there is one. If `version` is
     * given and another one is stored, throws an AppError `conflict`. Nothing is stored if `change` returns null.
     */
    async change(
      change: (list: QuestionList) => StoredList | null,
      { version, entry }: { version?: number; entry?: NewAuditEntry } = {},
    ): Promise<void> {
      for (;;) {
        const list = await read()
        if (version !== undefined && version !== list.version) throw changedMeanwhile('this list')
        const changed = change(list)
        if (changed === null) return
        const write = () => storage.documents.write(DOCUMENT, changed, list.version)
        if (await (entry === undefined ? write() : withEntry(entry, write))) return
        // Another change was stored in the meantime, so this one is tried again, or refused.
      }
    },
  }
}

export type Questions = ReturnType<typeof createQuestions>
