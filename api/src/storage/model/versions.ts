import { VERSIONS_KEPT } from '@proctorpass/shared/limits'
import Type from 'typebox'
import { uploadsIn } from './blogs.ts'
import { Author, OrNull, Time } from './bounds.ts'
import type { PlainTable, Rows } from './plain-table.ts'
import { FIELDS_MAX } from './texts.ts'

/** An earlier version of a text or a post. The present version is in the row of the text or the post. */
export interface VersionRecord {
  /** The subject and the version's number with leading zeros, so that keys sort by number. */
  _id: string
  /** When the version was stored, and by which admin or API key. Null where this is not known. */
  at: number
  by: string | null
  /** The fields as JSON. Null if the version was the shipped text, or a translation that is gone. */
  fields: string | null
}

/** An upload that a version of a text or a post shows. It has no row for a post's present version. */
export interface PictureRecord {
  /** The upload's hash and the version's `_id`. */
  _id: string
  /** The version's `_id`. */
  version: string
}

export interface Version {
  n: number
  at: number
  by: string | null
  fields: string | null
}

const DIGITS = 12
const ID = `(text [A-Za-z0-9-]{2,35} [a-z0-9:-]{1,140}|post [0-9a-f]{24}) [0-9]{${DIGITS}}`

export const VERSIONS: PlainTable<VersionRecord> = {
  name: 'versions',
  key: '_id',
  fields: {
    _id: Type.String({ pattern: `^${ID}$` }),
    at: Time,
    by: OrNull(Author),
    fields: OrNull(Type.String({ maxLength: FIELDS_MAX })),
  },
  indexes: {},
}

export const PICTURES: PlainTable<PictureRecord> = {
  name: 'pictures',
  key: '_id',
  fields: {
    _id: Type.String({ pattern: `^[0-9a-z]{1,64} ${ID}$` }),
    version: Type.String({ pattern: `^${ID}$` }),
  },
  indexes: { version: { by: { version: 1 } } },
}

/** Whose versions they are: a text in one language, by its `_id`, or a post. */
export type Subject = `text ${string}` | `post ${string}`

/**
 * Opens the versions. A change keeps the version that it replaces before it replaces it. A version never changes, so
 * keeping it again stores nothing new, and a process that dies between the two writes loses nothing.
 * @see docs/decisions/0128-texts-as-versions.md
 */
export function openVersions(versions: Rows<VersionRecord>, pictures: Rows<PictureRecord>) {
  const idOf = (subject: Subject, n: number) => `${subject} ${String(n).padStart(DIGITS, '0')}`
  const numberIn = (_id: string) => Number(_id.slice(-DIGITS))
  /** The keys of the subject's versions before `n`; by default, of all. */
  const before = (subject: Subject, n = 10 ** DIGITS - 1) =>
    ({ '>=': `${subject} `, '<': idOf(subject, Math.max(0, n)) }) as const

  /** Stores which uploads a version shows, before the version is stored, so that none of them is removed. */
  async function show(subject: Subject, n: number, ...texts: string[]): Promise<void> {
    const version = idOf(subject, n)
    for (const hash of uploadsIn(...texts)) await pictures.insert({ _id: `${hash} ${version}`, version })
  }

  /** Removes the versions before `n`. Returns the addresses of the uploads that they showed. */
  async function forget(subject: Subject, n?: number): Promise<string[]> {
    const version = before(subject, n)
    const shown = await pictures.list({ version }, { order: { version: 1 } })
    await versions.remove({ _id: version })
    if (shown.length > 0) await pictures.remove({ version })
    const hashes = new Set(shown.map(({ _id }) => _id.slice(0, _id.indexOf(' '))))
    return [...hashes].map((hash) => `/uploads/${hash}.webp`)
  }

  return {
    show,

    /** Keeps a version, with the uploads that its fields show. */
    async keep(subject: Subject, { n, at, by, fields }: Version): Promise<void> {
      if (fields !== null) await show(subject, n, fields)
      await versions.insert({ _id: idOf(subject, n), at, by, fields })
    },

    /**
     * Removes the versions that are too old to be kept when the present one is `n`. Returns the addresses of the uploads
     * that they showed, in any width.
     */
    trim: (subject: Subject, n: number): Promise<string[]> => forget(subject, n - VERSIONS_KEPT + 1),

    /** Removes all versions, as `trim` does. */
    end: (subject: Subject): Promise<string[]> => forget(subject),

    /** Lists the kept versions before `n`, the newest first, without their fields. */
    async list(subject: Subject, n: number): Promise<Omit<Version, 'fields'>[]> {
      const _id = before(subject, n)
      const found = await versions.list({ _id }, { order: { _id: -1 }, only: ['_id', 'at', 'by'] })
      return found.map(({ _id, at, by }) => ({ n: numberIn(_id), at, by }))
    },

    async find(subject: Subject, n: number): Promise<Version | null> {
      const found = await versions.find({ _id: idOf(subject, n) })
      return found === null ? null : { n, at: found.at, by: found.by, fields: found.fields }
    },

    /** Returns whether a text, or a kept version of a text or a post, shows this upload in any width. */
    async refersTo(uploadUrl: string): Promise<boolean> {
      for (const hash of uploadsIn(uploadUrl)) {
        const _id = { '>=': `${hash} `, '<': `${hash}!` }
        if ((await pictures.list({ _id }, { order: { _id: 1 }, limit: 1 })).length > 0) return true
      }
      return false
    },
  }
}
