import { ATTACHMENT_NAME_MAX } from '../limits.ts'
import type { AttachmentType } from '../schemas/attachment.ts'

/** The extensions for each type, with the usual one first. */
const EXTENSIONS: { readonly [T in AttachmentType]: readonly string[] } = {
  'image/png': ['png'],
  'image/jpeg': ['jpg', 'jpeg'],
  'image/webp': ['webp'],
  'application/pdf': ['pdf'],
  'text/plain': ['txt'],
}
const KNOWN = Object.values(EXTENSIONS).flat()

/**
 * Matches characters that names must not show. A joiner belongs to the letter or emoji before it; ASCII words have no
 * joiners.
 */
const NEVER_SHOWN = /(?:(?<![^\p{ASCII}\p{C}\p{Z}\ufffd])|(?![\u200c\u200d]))[\p{C}\p{Zl}\p{Zp}\ufffd]/gu

/**
 * Returns a file's name as it is stored and shown: without a path, control characters, and characters that change the
 * text's direction, and with an extension of its type, so that a download never gets a program's extension. The joiners
 * in Persian, Hindi, and emoji stay. Cleaning the name again changes nothing.
 */
export function cleanFileName(claimed: string, type: AttachmentType): string {
  const plain = (claimed.toWellFormed().split(/[/\\]/).at(-1) ?? '')
    .normalize()
    .replace(NEVER_SHOWN, '')
    .normalize()
    .replace(/\s+/gu, ' ')
    .replace(/^[. ]+/, '')
  const name = withoutEnd(plain)
  const [, stem = '', ending = ''] = /^(.*?)(?:\.([^.]*))?$/u.exec(name) ?? []
  const accepted = EXTENSIONS[type]
  const extension = accepted.includes(ending.toLowerCase()) ? ending : accepted[0]
  const whole = ending === '' || KNOWN.includes(ending.toLowerCase()) ? stem : `${stem}.${ending}`
  const cut = [...whole].slice(0, ATTACHMENT_NAME_MAX - 1 - (extension?.length ?? 0)).join('')
  return `${withoutEnd(cut) || 'file'}.${extension}`
}

/** Removes the dots and spaces at the text's end, in linear time. */
function withoutEnd(text: string): string {
  let end = text.length
  while (end > 0 && '. '.includes(text.charAt(end - 1))) end -= 1
  return text.slice(0, end)
}
