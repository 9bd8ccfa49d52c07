import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jsonRecords } from './json-records.ts'
import { LeftOutList } from './left-out.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'json-records-'))
  file = join(folder, 'export.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

async function read(content: string | Buffer) {
  writeFileSync(file, content)
  return readFile()
}

async function readFile() {
  const leftOut = new LeftOutList()
  const records: { list: string; value: unknown }[] = []
  for await (const { list, value } of jsonRecords(file, leftOut)) records.push({ list, value })
  return { records, values: records.map(({ value }) => value), leftOut: leftOut.list() }
}

/** Objects without the names of lists, which are read apart. */
const objects = fc.dictionary(
  fc.string({ unit: 'binary', maxLength: 6 }).map((key) => `k${key}`),
  fc.jsonValue({ maxDepth: 3 }),
  { maxKeys: 4 },
)

describe('records in JSON', () => {
  it.each([
    ['a list', '[{"id":1},{"id":2}]'],
    ['lines', '{"id":1}\n{"id":2}\n'],
    ['lines with empty ones and CRLF', '\r\n{"id":1}\r\n\r\n{"id":2}'],
    ['objects one after another, on several lines', '{\n "id": 1\n}\n{\n "id": 2\n}'],
    ['a page of a REST answer', '{"meta":{"count":2},"payload":[{"id":1},{"id":2}]}'],
    ['a page inside of data', '{"data":{"meta":{"a":[1]},"payload":[{"id":1},{"id":2}]}}'],
    ['lines with a page each', '{"data":[{"id":1}]}\n{"data":[{"id":2}]}\n'],
    ['a list on several lines', '[\n{"id":1},\n{"id":2}\n]'],
  ])('are read from %s', async (_, content) => {
    expect(await read(content)).toMatchObject({ values: [{ id: 1 }, { id: 2 }], leftOut: [] })
  })

  it('have the name of their list', async () => {
    const { records } = await read('{"conversations":[{"id":1}],"x":{"y":[2]},"canned_responses":[{"id":3}]}')
    expect(records).toEqual([
      { list: 'conversations', value: { id: 1 } },
      { list: 'canned_responses', value: { id: 3 } },
    ])
  })

  it.each([
    ['a byte order mark', Buffer.from('\ufeff[{"id":"ü😀"}]')],
    ['UTF-16 LE', Buffer.from('\ufeff[{"id":"ü😀"}]', 'utf16le')],
    ['UTF-16 LE without a mark', Buffer.from('[{"id":"ü😀"}]', 'utf16le')],
    ['UTF-16 BE', Buffer.from('\ufeff[{"id":"ü😀"}]', 'utf16le').swap16()],
  ])('are read from a file with %s', async (_, bytes) => {
    expect((await read(bytes)).values).toEqual([{ id: 'ü😀' }])
  })

  it('are not read from other encodings, other formats, and missing files', async () => {
    await expect(read(Buffer.from('[{"id":"\xfc"}]', 'latin1'))).rejects.toThrow('Save it again as UTF-8')
    await expect(read('conversation,at\n1,2')).rejects.toThrow('is not JSON')
    await expect(read('')).rejects.toThrow('is not JSON')
    rmSync(file)
    await expect(readFile()).rejects.toThrow('There is no file')
  })

  it.each([
    ['a list that ends early', '[{"id":1},{"id":2,"x":"', 'the end of the file', [{ id: 1 }]],
    ['a list without its bracket', '[{"id":1},{"id":2}', 'the end of the file', [{ id: 1 }, { id: 2 }]],
    ['a page that ends early', '{"payload":[{"id":1}', 'the end of the file', [{ id: 1 }]],
    ['a line that ends early', '{"id":1}\n{"id":2,\n{"id":3}\n', 'line 2', [{ id: 1 }, { id: 3 }]],
    ['a first line that ends early', '{"id":1,\n{"id":2}\n{"id":3}\n', 'line 1', [{ id: 2 }, { id: 3 }]],
    ['a line that is no JSON', '{"id":1}\nnothing\n{"id":3}\n', 'line 2', [{ id: 1 }, { id: 3 }]],
    ['a record that is no JSON', '[{"id":1},{id:2},{"id":3}]', 'record 2', [{ id: 1 }, { id: 3 }]],
  ])('of %s are read as far as they are whole', async (_, content, place, values) => {
    const found = await read(content)
    expect(found.values).toEqual(values)
    expect(found.leftOut).toMatchObject([{ place }])
  })

  it('are those that JSON.parse reads, wherever the file is cut into pieces', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.oneof(objects, fc.jsonValue({ maxDepth: 2 })), { minLength: 1, maxLength: 5 }),
        fc.constantFrom('', '  ', '\n', '\t'),
        fc.double({ min: 0, max: 1, noNaN: true }),
        async (values, space, cut) => {
          // The file is read in pieces of this size.
          const written = JSON.stringify(values, null, space)
          const first = 'x'.repeat(256 * 1_024 - Math.floor(cut * written.length))
          const text = JSON.stringify([first, ...values], null, space)
          const all = JSON.parse(text) as unknown[]
          const found = await read(text)
          expect(found).toEqual({
            ...{ records: all.map((value) => ({ list: '', value })), values: all, leftOut: [] },
          })
        },
      ),
      { numRuns: 150 },
    )
  })

  it('need no more memory for a large list', { timeout: 120_000 }, async () => {
    writeFileSync(file, '[')
    const text = 'word '.repeat(200)
    const record = `${JSON.stringify({ id: 1, messages: Array.from({ length: 100 }, () => ({ text })) })},`
    for (let size = 0; size < 100 * 1_024 * 1_024; size += 64 * record.length)
      appendFileSync(file, record.repeat(64))
    appendFileSync(file, '{"id":2}]')
    globalThis.gc?.()
    const before = process.memoryUsage().rss
    let count = 0
    let most = 0
    for await (const _ of jsonRecords(file, new LeftOutList())) {
      count += 1
      if (count % 100 === 0) most = Math.max(most, process.memoryUsage().rss - before)
    }
    expect(count).toBeGreaterThan(900)
    expect(most).toBeLessThan(300 * 1_024 * 1_024)
  })
})
