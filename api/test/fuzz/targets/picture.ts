import { AppError } from '@proctorpass/shared/errors'
import { fileKindOf } from '@proctorpass/shared/file-kind'
import { IMAGE_SIDE_MAX } from '@proctorpass/shared/limits'
import sharp from 'sharp'
import { attachmentContentOf } from '../../../src/chat/attachment-content.ts'
import type { Target } from '../loop.ts'

const png = (type: string, length = 0) =>
  Buffer.from([0, 0, 0, length, ...Buffer.from(type)]).toString('latin1')

export const words = [
  ...[
    '\x89PNG\r\n\x1a\n',
    'IHDR',
    'IDAT',
    'IEND',
    'PLTE',
    'tRNS',
    'eXIf',
    'iCCP',
    'zTXt',
    'tEXt',
    'acTL',
    'fcTL',
  ],
  ...[
    png('IDAT'),
    png('tEXt', 1),
    png('acTL', 8),
    '\xff\xd8',
    '\xff\xd9',
    '\xff\xda',
    '\xff\xe1',
    '\xff\xdb',
    '\xff\xc0',
  ],
  ...[
    '\xff\xd0',
    '\xff\x00',
    '\xff\xfe',
    'Exif\0\0',
    'JFIF\0',
    'ICC_PROFILE\0',
    'RIFF',
    'WEBP',
    'VP8 ',
    'VP8L',
    'VP8X',
  ],
  ...[
    'ANIM',
    'ANMF',
    'EXIF',
    'XMP ',
    'ALPH',
    '%PDF-1.7',
    '%%EOF',
    'GIF89a',
    'ftypheic',
    'BM',
    'PK\x03\x04',
    '<svg',
  ],
  ...[
    '\0\0\0\0',
    '\xff\xff\xff\xff',
    '\x7f\xff\xff\xff',
    '\0\0\0\x01',
    '1 0 obj',
    '/Encrypt',
    'startxref',
    'trailer',
  ],
]

/** The decoder checks each image in a thread of its own, whose time is not measured. */
export async function open(): Promise<Target> {
  return {
    async run(input) {
      try {
        const options = { side: 'visitor', admit: async () => {} } as const
        const { type, bytes, width, height } = await attachmentContentOf(input, options)
        if (type === 'application/pdf') return [type]
        const found = await sharp(bytes).metadata()
        const isSame = found.width === width && found.height === height
        if (!isSame || Math.max(width ?? 0, height ?? 0) > IMAGE_SIDE_MAX)
          throw new Error('The size is wrong.')
        if (found.exif || found.icc || found.xmp || found.iptc)
          throw new Error('It still has what the sender added.')
        if (fileKindOf(bytes) === null) throw new Error('Its kind is unknown.')
        return [type]
      } catch (error) {
        if (!(error instanceof AppError) || error.status >= 500) throw error
        if (!/^[A-Z].{10,300}\.$/.test(error.message)) throw new Error(`Not a sentence: ${error.message}`)
        return [error.message]
      }
    },
    async close() {},
  }
}
