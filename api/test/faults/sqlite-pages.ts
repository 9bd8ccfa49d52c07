/**
 * The bytes of a SQLite database or its write-ahead log, without those between the pointers and the cells of its
 * b-tree pages. There SQLite can leave a copy of a row that it moved to a neighboring page, until the page fills:
 * `secure_delete` overwrites cells, free blocks and free pages, but not this. See docs/decisions/0048-erasing.md, and
 * https://sqlite.org/fileformat2.html for the offsets.
 */
export function withoutUnallocated(file: Buffer): Buffer {
  const bytes = Buffer.from(file)
  if (bytes.length < DATABASE_HEADER) return bytes
  const isLog = LOG_MAGIC.has(bytes.readUInt32BE(0))
  if (!isLog && bytes.toString('latin1', 0, DATABASE_MAGIC.length) !== DATABASE_MAGIC) return bytes
  const pageSize = isLog ? bytes.readUInt32BE(8) : bytes.readUInt16BE(16) || 65_536
  const [start, frameHeader] = isLog ? [LOG_HEADER, FRAME_HEADER] : [0, 0]
  for (let at = start; at + frameHeader + pageSize <= bytes.length; at += frameHeader + pageSize) {
    const page = bytes.subarray(at + frameHeader, at + frameHeader + pageSize)
    const isFirst = isLog ? bytes.readUInt32BE(at) === 1 : at === 0
    clearUnallocated(page, isFirst ? DATABASE_HEADER : 0)
  }
  return bytes
}

const DATABASE_MAGIC = 'SQLite format 3\0'
const LOG_MAGIC: ReadonlySet<number> = new Set([0x377f0682, 0x377f0683])
const LOG_HEADER = 32
const FRAME_HEADER = 24
const DATABASE_HEADER = 100
/** The types of b-tree pages and the lengths of their headers. Other pages begin with the number of a page. */
const HEADERS: Partial<Record<number, number>> = { 2: 12, 5: 12, 10: 8, 13: 8 }

function clearUnallocated(page: Buffer, header: number): void {
  const length = HEADERS[page.readUInt8(header)]
  if (length === undefined) return
  const cells = page.readUInt16BE(header + 3)
  const content = page.readUInt16BE(header + 5) || 65_536
  page.fill(0, header + length + 2 * cells, content)
}
