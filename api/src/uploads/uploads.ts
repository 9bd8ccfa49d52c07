import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { fieldError } from '@proctorpass/shared/errors'
import { convertHint, fileKindOf, isConvertible } from '@proctorpass/shared/file-kind'
import { UPLOAD_BYTES_MAX, UPLOAD_EXTENSIONS, UPLOAD_WIDTHS } from '@proctorpass/shared/limits'
import type { Upload } from '@proctorpass/shared/schemas/upload'
import { type FileStore, type StoredFile, UPLOAD_NAME } from '../storage/model/file-store.ts'
import { type RasterKind, rasterKindOf, rewriteFace, rewriteRaster } from './raster.ts'
import { rewriteSvgInThread } from './svg-thread.ts'
import { wrongFile } from './wrong-file.ts'

type Kind = RasterKind | 'svg'

interface UploadsDeps {
  files: FileStore
  /** Whether a post, a text, one of their versions, or an admin shows the image at this URL. */
  isUsed: (url: string) => Promise<boolean>
  now: () => number
}

/** This is long enough to finish a post after dropping an image into it. */
const UNUSED_FOR_MS = 24 * 60 * 60 * 1_000
/** Older files are checked only by a process's first sweep, to bound the cost of the others. */
const SWEEP_MAX_AGE_MS = 30 * 24 * 60 * 60 * 1_000

const TYPES: Record<Kind, string> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  svg: 'image/svg+xml',
}
const WRONG_FACE = 'Choose a JPG, PNG, or WebP image.'
const WRONG_KIND = `Choose an image of one of these types: ${UPLOAD_EXTENSIONS.join(', ')}.`

/** Stores the images of posts and admins at `/uploads/{hash}.{ext}`. An address's content never changes. */
export function createUploads({ files, isUsed, now }: UploadsDeps) {
  // The first sweep has no age limit: if a removal failed after its post was gone, the files can be of any age.
  let sweepMaxAge = Number.POSITIVE_INFINITY

  /**
   * Finds the files, judges them, and removes each one only if it is unchanged, because any node may store the same
   * image again in the meantime.
   */
  async function removeUnused(hash: string, url: string): Promise<void> {
    const found: StoredFile[] = []
    for (const name of namesOf(hash)) {
      const file = await files.find(name)
      if (file !== null) found.push(file)
    }
    // A post in an editor may show the image that another post releases.
    if (found.some(({ isAgain, storedAt }) => isAgain && storedAt > now() - UNUSED_FOR_MS)) return
    if (await isUsed(url)) return
    // The main file, which `store` writes last, is removed first: if it stays, the others must stay too.
    for (const file of found) if (!(await files.remove(file.name, file))) return
  }

  return {
    /**
     * Re-encodes and stores an image, and also makes narrower ones of a raster image. `declared` comes from the client.
     * Throws an AppError with a detail for the field `file`, or `storage-full`.
     */
    async store(bytes: Buffer, declared: { name: string; type: string }): Promise<Upload> {
      const kind = kindOf(bytes, declared)
      const { main, width, height, narrower, cleaned } = await rewritten(bytes, kind)
      const hash = hashOf(main)
      const name = `${hash}.${kind}`
      const put: string[] = []
      try {
        // The main file is written last, so once it exists, the others do too.
        for (const each of [
          ...narrower.map((one) => ({ name: `${hash}-${one.width}.webp`, bytes: one.bytes })),
          { name, bytes: main },
        ]) {
          if (await files.put(each.name, each.bytes)) put.push(each.name)
        }
      } catch (error) {
        for (const each of put) await files.remove(each).catch(() => {})
        throw error
      }
      return { url: `/uploads/${name}`, width, height, ...(cleaned.length > 0 && { cleaned }) }
    },

    /** Stores an admin's picture, a square WebP, and returns its URL. Throws as `store` does. */
    async storeFace(bytes: Buffer, declared: { name: string; type: string }): Promise<string> {
      const kind = kindOf(bytes, declared, WRONG_FACE)
      if (kind === 'svg') throw wrongFile(WRONG_FACE)
      const face = await rewriteFace(bytes, kind)
      const name = `${hashOf(face)}.webp`
      await files.put(name, face)
      return `/uploads/${name}`
    },

    /**
     * Removes the images at those URLs that nothing else shows. Call this with the URLs that a post or an admin no longer
     * shows.
     */
    async release(urls: string[]): Promise<void> {
      for (const [hash, url] of new Map(urls.map((url) => [hashIn(url), url]))) {
        if (hash !== null) await removeUnused(hash, url)
      }
    },

    /** Opens a file by the last part of its URL; null if there is none. */
    async open(name: string): Promise<{ file: StoredFile; stream: Readable; type: string } | null> {
      const kind = UPLOAD_NAME.exec(name)?.[2] as Kind | undefined
      const found = kind === undefined ? null : await files.open(name)
      return found === null || kind === undefined ? null : { ...found, type: TYPES[kind] }
    },

    /** Removes uploads of posts that were never saved. */
    async sweep(): Promise<void> {
      for (const { name, storedAt } of await files.list()) {
        const age = now() - storedAt
        const url = `/uploads/${name}`
        // The main file also decides for its narrower widths.
        const hash = name.includes('-') ? null : hashIn(url)
        if (hash !== null && age > UNUSED_FOR_MS && age < sweepMaxAge) await removeUnused(hash, url)
      }
      sweepMaxAge = SWEEP_MAX_AGE_MS
    },
  }
}

export type Uploads = ReturnType<typeof createUploads>

/** Returns each URL of an upload, in any width, in a text such as a post's HTML. */
export function uploadUrlsIn(text: string): string[] {
  return [...new Set(text.match(/\/uploads\/[0-9a-f]{40}(?:-\d+)?\.(?:jpg|png|webp|svg)/g))]
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex').slice(0, 40)

/** Returns the hash that names an upload and its narrower widths; null for any other URL. */
function hashIn(url: string): string | null {
  return UPLOAD_NAME.exec(url.startsWith('/uploads/') ? url.slice('/uploads/'.length) : '')?.[1] ?? null
}

/** Returns all possible file names of an upload, because a narrower width's URL does not name the main file's type. */
function namesOf(hash: string): string[] {
  return [
    ...Object.keys(TYPES).map((kind) => `${hash}.${kind}`),
    ...UPLOAD_WIDTHS.map((width) => `${hash}-${width}.webp`),
  ]
}

async function rewritten(bytes: Buffer, kind: Kind) {
  if (kind === 'svg') {
    const { text, ...rest } = await rewriteSvgInThread(bytes)
    return { main: Buffer.from(text), narrower: [], ...rest }
  }
  const { bytes: main, ...rest } = await rewriteRaster(bytes, kind)
  return { main, cleaned: [], ...rest }
}

/** Returns the kind by content; the extension and the declared type must agree with it. */
function kindOf(bytes: Buffer, declared: { name: string; type: string }, wrongKind = WRONG_KIND): Kind {
  if (bytes.length === 0) throw wrongFile('This file is empty. Choose it again once it is on your device.')
  if (bytes.length > UPLOAD_BYTES_MAX) {
    throw fieldError('file', 'This file is larger than 10 MB.', { code: 'too-large' })
  }
  const kind = kindByContent(bytes)
  if (kind === null) {
    const found = fileKindOf(bytes)
    throw wrongFile(found !== null && isConvertible(found) ? convertHint(found) : wrongKind)
  }
  const extension = /\.([a-z]{3,4})$/.exec(declared.name.toLowerCase())?.[1]
  const type = declared.type.toLowerCase()
  const named = extension === 'jpeg' ? 'jpg' : extension
  if (named !== kind || type !== TYPES[kind]) {
    throw wrongFile(
      `This file is ${kind.toUpperCase()}, but its name says otherwise. Rename it to end with .${kind}.`,
    )
  }
  return kind
}

function kindByContent(bytes: Buffer): Kind | null {
  const kind = rasterKindOf(bytes)
  if (kind !== null) return kind
  // The parser decides whether it is an SVG.
  if (/^(?:\xef\xbb\xbf|\xff\xfe|\xfe\xff)?[\s\0]*</.test(bytes.subarray(0, 4_096).toString('latin1')))
    return 'svg'
  return null
}
