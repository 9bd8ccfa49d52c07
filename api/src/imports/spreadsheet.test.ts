import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { csvRows } from './csv-rows.ts'
import type { Foreign, ForeignConversation } from './foreign.ts'
import { LeftOutList } from './left-out.ts'
import { readSpreadsheet } from './spreadsheet.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'spreadsheet-'))
  file = join(folder, 'sheet.csv')
})
afterEach(() => rmSync(folder, { recursive: true }))

const HEADER = 'conversation,at,from,text,name,email,status\n'

async function read(content: string | Buffer) {
  writeFileSync(file, content)
  const leftOut = new LeftOutList()
  const found: Foreign[] = []
  for await (const foreign of readSpreadsheet(file, leftOut)) found.push(foreign)
  const conversations = found.map(
    (foreign) => (foreign as { conversation: ForeignConversation }).conversation,
  )
  return { conversations, items: conversations.flatMap(({ items }) => items), leftOut: leftOut.list() }
}

describe('a spreadsheet', () => {
  it.each([',', ';', '\t'])(
    'is read with the separator %j, quotation marks, and lines in texts',
    async (separator) => {
      const row = (...fields: string[]) =>
        `${fields.map((field) => `"${field.replaceAll('"', '""')}"`).join(separator)}\r\n`
      const text = 'He said "yes";\nthen, later\tno'
      const { items, leftOut } = await read(
        row('conversation', 'at', 'from', 'text') + row('1', '2024-02-03T10:00:00Z', 'visitor', text),
      )
      expect(items).toMatchObject([{ text, from: 'visitor', at: Date.UTC(2024, 1, 3, 10), place: 'line 2' }])
      expect(leftOut).toEqual([])
    },
  )

  it('has times in several forms', async () => {
    const times = [
      ...[
        '2024-02-03T10:00:00Z',
        '2024-02-03T11:00:00+01:00',
        '2024-02-03 10:00',
        '2024-02-03 11:00:00 +0100',
      ],
      ...['1706954400', '1706954400000', '2024-02-30T10:00:00Z', '3.2.2024', ''],
    ]
    const { items } = await read(HEADER + times.map((at) => `1,${at},visitor,Hi,,,\n`).join(''))
    const at = Date.UTC(2024, 1, 3, 10)
    expect(items.map((item) => item.at)).toEqual([at, at, at, at, at, at, Number.NaN, Number.NaN, Number.NaN])
  })

  it('has rows of a conversation anywhere, and each conversation once', async () => {
    const { conversations } = await read(
      `${HEADER}b,1706954400,visitor,1,,,\na,1706954401,visitor,2,Anna,anna@v.example,open\nb,1706954402,Greta,3,,,resolved\n`,
    )
    expect(conversations).toMatchObject([
      { id: 'a', status: 'open', name: 'Anna', email: 'anna@v.example', items: [{ text: '2' }] },
      { id: 'b', status: 'resolved', name: null, items: [{ text: '1' }, { text: '3' }] },
    ])
  })

  it('says who wrote: by name, by address, or in the columns beside', async () => {
    const { conversations, items } = await read(
      `${HEADER}1,1706954400,Customer,a,Anna,anna@v.example,\n1,1706954400,Greta,b,Anna,anna@v.example,\n1,1706954400,dana@desk.example,c,,,\n1,1706954400,agent,d,Dana,dana@desk.example,\n1,1706954400,note,e,Dana,,\n1,1706954400,admin,f,Anna,anna@v.example,\n`,
    )
    expect(conversations).toMatchObject([{ name: 'Anna', email: 'anna@v.example' }])
    expect(items.map(({ from, isNote }) => [from, isNote])).toEqual([
      ['visitor', false],
      [{ name: 'Greta', email: null }, false],
      [{ name: null, email: 'dana@desk.example' }, false],
      [{ name: 'Dana', email: 'dana@desk.example' }, false],
      [{ name: 'Dana', email: null }, true],
      [{ name: null, email: null }, false],
    ])
  })

  it('lists rows that it cannot read', async () => {
    const { items, leftOut } = await read(
      `conversation,at,from,text,mood\n1,1706954400,visitor,Hi,good\n1,1706954400,visitor\n,1706954400,visitor,Hi,\n1,1706954400,visitor,"never closed,\n`,
    )
    expect(items).toHaveLength(1)
    expect(leftOut).toEqual([
      { place: 'column mood', reason: 'The column is unknown' },
      { place: 'line 3', reason: 'The row has 3 fields instead of 5' },
      { place: 'line 4', reason: 'The row names no conversation' },
      { place: 'line 5', reason: 'The row has a quotation mark that is never closed' },
    ])
  })

  it('needs its columns', async () => {
    await expect(read('conversation,when,from,text\n1,2,3,4\n')).rejects.toThrow('lacks the column at')
    await expect(read('')).rejects.toThrow('is empty')
    await expect(read('{"conversations":[]}')).rejects.toThrow(
      'lacks the column conversation, at, from, text',
    )
  })

  it('is read in UTF-16 and with a byte order mark', async () => {
    const content = `\ufeff${HEADER}1,1706954400,visitor,Grüße,,,\n`
    expect((await read(content)).items).toMatchObject([{ text: 'Grüße' }])
    expect((await read(Buffer.from(content, 'utf16le'))).items).toMatchObject([{ text: 'Grüße' }])
  })

  it('gives back the fields that were written', async () => {
    const fields = fc.string({
      unit: fc.constantFrom('a', '"', ',', ';', '\n', ' ', '😀', '\t'),
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fields, fields), { minLength: 1, maxLength: 6 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        async (rows, end) => {
          const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`
          writeFileSync(file, `x,y${end}${rows.map((row) => row.map(quoted).join(',')).join(end)}`)
          const read: string[][] = []
          for await (const row of csvRows(file, new LeftOutList())) read.push(row.fields)
          expect(read.slice(1)).toEqual(rows.filter((row) => row.some((text) => text.trim() !== '')))
        },
      ),
      { numRuns: 150 },
    )
  })
})
