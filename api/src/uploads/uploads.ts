import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { fieldError } from '@proctorpass/shared/errors'
import { UPLOAD_BYTES_MAX, UPLOAD_EXTENSIONS, UPLOAD_WIDTHS } from '@proctorpass/shared/limits'
import type { Upload } from '@proctorpass/shared/schemas/upload'
import { UPLOAD_NAME, type UploadFile, type UploadFiles } from '../storage/upload-files.ts'
import type { RasterKind } from './image-chunks.ts'
import { rewriteRaster } from './raster.ts'
import { rewriteSvg } from './svg.ts'
import { wrongFile } from './wrong-file.ts'

type Kind = RasterKind | 'svg'

/** Pictures of posts. Their addresses are `/uploads/{hash}.{ext}`, and what one answers never changes. */
export interface Uploads {
  /**
   * Writes the picture anew and keeps it, with narrower ones beside it where it is a raster. `declared` is what the
   * sender calls it. Throws AppError with a detail of the field `file`, or `unavailable` when there is no room.
   */
  store(bytes: Buffer, declared: { name: string; type: string }): Promise<Upload>
  /** To be called with the addresses that a post has let go: removes those to which no post refers any more. */
  release(urls: string[]): Promise<void>
  /** A file by the last part of its address; null when there is none. */
  open(name: string): Promise<{ file: UploadFile; stream: Readable; type: string } | null>
  /** Removes what was uploaded for a post that was never saved. */
  sweep(): Promise<void>
}

interface UploadsDeps {
  files: UploadFiles
  /** Does any post show the picture at this address? */
  isUsed: (url: string) => Promise<boolean>
  now: () => number
}

/** Time enough to finish a post into which a picture was dropped. */
const UNUSED_FOR_MS = 24 * 60 * 60 * 1_000
/** What is older is judged by the first sweep of a process only: each time would cost more with every post. */
const JUDGED_AFTER_MS = 30 * 24 * 60 * 60 * 1_000

const TYPES: Record<Kind, string> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  svg: 'image/svg+xml',
}
const WRONG_KIND = `Please choose a picture of one of these types: ${UPLOAD_EXTENSIONS.join(', ')}.`

export function createUploads({ files, isUsed, now }: UploadsDeps): Uploads {
  // A post can be removed and its pictures not, when the store fails in between: those are of any age.
  let judgedAfter = Number.POSITIVE_INFINITY
  // By hash. Kept again while they were there already: a post that is being written may show what another one lets go.
  const wantedAgain = new Map<string, number>()

  async function removeUnused(hash: string, url: string): Promise<void> {
    if (await isUsed(url)) return
    for (const name of namesOf(hash)) await files.remove(name)
  }

  return {
    async store(bytes, declared) {
      const kind = kindOf(bytes, declared)
      const { main, width, height, narrower } = await rewritten(bytes, kind)
      const hash = createHash('sha256').update(main).digest('hex').slice(0, 40)
      const name = `${hash}.${kind}`
      wantedAgain.set(hash, now())
      const put: string[] = []
      try {
        // The picture itself last: where it is, the others are.
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
      if (put.includes(name)) wantedAgain.delete(hash)
      return { url: `/uploads/${name}`, width, height }
    },

    async release(urls) {
      for (const [hash, url] of new Map(urls.map((url) => [hashIn(url), url]))) {
        if (hash === null) continue
        const wanted = wantedAgain.get(hash)
        if (wanted === undefined || wanted < now() - UNUSED_FOR_MS) await removeUnused(hash, url)
      }
    },

    async open(name) {
      const kind = UPLOAD_NAME.exec(name)?.[2] as Kind | undefined
      const found = kind === undefined ? null : await files.open(name)
      return found === null || kind === undefined ? null : { ...found, type: TYPES[kind] }
    },

    async sweep() {
      for (const [hash, at] of wantedAgain) if (at < now() - UNUSED_FOR_MS) wantedAgain.delete(hash)
      for (const { name, storedAt } of await files.list()) {
        const age = now() - storedAt
        const url = `/uploads/${name}`
        // The picture itself stands for its widths.
        const hash = name.includes('-') ? null : hashIn(url)
        if (hash !== null && age > UNUSED_FOR_MS && age < judgedAfter && !wantedAgain.has(hash)) {
          await removeUnused(hash, url)
        }
      }
      judgedAfter = JUDGED_AFTER_MS
    },
  }
}

/** Every address of a picture of ours in a text, such as a post's HTML, in whatever width. */
export function uploadUrlsIn(text: string): string[] {
  return [...new Set(text.match(/\/uploads\/[0-9a-f]{40}(?:-\d+)?\.(?:jpg|png|webp|svg)/g))]
}

/** What the picture at an address and its widths are called by; null when it is none of ours. */
function hashIn(url: string): string | null {
  return UPLOAD_NAME.exec(url.startsWith('/uploads/') ? url.slice('/uploads/'.length) : '')?.[1] ?? null
}

/** All that may be kept of one picture: an address of a width does not tell of what type the picture is. */
function namesOf(hash: string): string[] {
  return [
    ...Object.keys(TYPES).map((kind) => `${hash}.${kind}`),
    ...UPLOAD_WIDTHS.map((width) => `${hash}-${width}.webp`),
  ]
}

async function rewritten(bytes: Buffer, kind: Kind) {
  if (kind === 'svg') {
    const { text, width, height } = rewriteSvg(bytes)
    return { main: Buffer.from(text), width, height, narrower: [] }
  }
  const { bytes: main, ...rest } = await rewriteRaster(bytes, kind)
  return { main, ...rest }
}

/** What the bytes are; the name's end and the declared type must say the same. */
function kindOf(bytes: Buffer, declared: { name: string; type: string }): Kind {
  if (bytes.length === 0) throw wrongFile('This file is empty.')
  if (bytes.length > UPLOAD_BYTES_MAX) {
    throw fieldError('file', 'This file is larger than 10 MB.', { code: 'too-large' })
  }
  const kind = kindByContent(bytes)
  if (kind === null) throw wrongFile(WRONG_KIND)
  const extension = /\.([a-z]{3,4})$/.exec(declared.name.toLowerCase())?.[1]
  const type = declared.type.toLowerCase()
  const named = extension === 'jpeg' ? 'jpg' : extension
  if (named !== kind || type !== TYPES[kind]) {
    throw wrongFile(
      `The content of this file is ${kind.toUpperCase()}, but its name or type says something else.`,
    )
  }
  return kind
}

function kindByContent(bytes: Buffer): Kind | null {
  const start = bytes.subarray(0, 12).toString('latin1')
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'png'
  if (start.startsWith('\xff\xd8\xff')) return 'jpg'
  if (start.startsWith('RIFF') && start.slice(8) === 'WEBP') return 'webp'
  // Whether it is SVG indeed, its parser says.
  if (/^(?:\xef\xbb\xbf)?\s*</.test(bytes.subarray(0, 4_096).toString('latin1'))) return 'svg'
  return null
}
