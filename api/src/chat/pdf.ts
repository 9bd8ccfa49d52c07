import { FILE_START_BYTES } from '@proctorpass/shared/file-kind'

/** PDF readers search this many bytes for the end, and scanners append their own bytes after it. */
const END_BYTES = 1_024
/** An archive's comment is shorter than this. */
const ARCHIVE_END_BYTES = 22 + 65_535
const MARKUP = /<[a-z!?/]/i
/** The first object must begin within this many bytes. */
const OBJECT_BYTES = 64 * 1024
const ARCHIVE_START = 'PK\x03\x04'
const ARCHIVE_END = 'PK\x05\x06'

/**
 * Returns why a file with `%PDF-` in its first bytes cannot be sent, as a sentence; null if it can. The file is judged
 * as PDF readers judge it: a few bytes may stand before its start and after its end, the end marker may be missing, and
 * there must be an object. The bytes around it must not be a page or an archive. A file that was cut off has no end.
 */
export function pdfProblem(bytes: Buffer): string | null {
  const start = bytes.toString('latin1', 0, FILE_START_BYTES + 8).search(/%PDF-[12]\.\d/)
  if (start < 0) return 'This PDF has no version. Print it to a new PDF, and send that one.'
  const end = endOf(bytes)
  if (end === null || !bytes.subarray(0, OBJECT_BYTES).includes(' obj')) {
    return 'This PDF is cut off: its end is missing. Save or download it again.'
  }
  const around = `${bytes.toString('latin1', 0, start)}\n${bytes.toString('latin1', end)}`
  if (MARKUP.test(around) || around.includes(ARCHIVE_START) || isArchive(bytes)) {
    return 'This PDF has another file before or after it. Print it to a new PDF, and send that one.'
  }
  return null
}

/**
 * Returns where the file's last part ends; null if it has none. White space and control characters after it do not
 * count.
 */
function endOf(bytes: Buffer): number | null {
  let length = bytes.length
  while (length > 0 && (bytes[length - 1] ?? 0) <= 0x20) length -= 1
  const from = Math.max(0, length - END_BYTES)
  const tail = bytes.toString('latin1', from, length)
  // `%%EOF` follows `startxref` and its number, and `startxref` follows `trailer`.
  const last = [...tail.matchAll(/%%EOF|startxref\s{1,9}\d+|\btrailer\b|\bendobj$/g)].at(-1)
  return last === undefined ? null : from + last.index + last[0].length
}

/** Whether an archive's file list ends with the last byte, which means that the PDF stands inside an archive. */
function isArchive(bytes: Buffer): boolean {
  const from = Math.max(0, bytes.length - ARCHIVE_END_BYTES)
  const at = bytes.lastIndexOf(ARCHIVE_END, undefined, 'latin1')
  return at >= from && at + 22 <= bytes.length && at + 22 + bytes.readUInt16LE(at + 20) === bytes.length
}
