import fc from 'fast-check'
import iconv from 'iconv-lite'
import { expect, it } from 'vitest'
import { readText } from './charset.ts'
import { leftOutNote, textsOf, tokensIn } from './mail-rules.ts'
import { parseMail, readHead } from './parse-mail.ts'

/** More runs for an hour of fuzzing: `FUZZ_RUNS=100000 npx vitest run ...`. */
const numRuns = Number(process.env.FUZZ_RUNS ?? 200)

const CHARSETS = [
  'utf-8',
  'us-ascii',
  'gb2312',
  'iso-2022-jp',
  'utf-7',
  'utf-16',
  'cp850',
  'hz',
  'x-none',
  '',
]
const word = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.constantFrom(
    ...['--b', '--b--', '=?utf-8?B?', '?=', '=?', '\x1b$B', '\x1b(B', '~{', '~}', '+AD', '\0', '"', '('],
  ),
  fc.constantFrom(
    ...['\r\n', '\n', '\r', ' ', ';', '=', 'charset=', "*0*=utf-8''", '%E4', '\\', '<', '>', '@', ',', ':'],
  ),
  fc.uint8Array({ maxLength: 12 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
)
const words = fc.array(word, { maxLength: 12 }).map((each) => each.join(''))
const header = fc
  .tuple(
    fc.constantFrom(
      ...['From', 'To', 'Cc', 'Subject', 'Content-Type', 'Content-Transfer-Encoding', 'Content-Disposition'],
      ...['Authentication-Results', 'Received', 'Message-ID', 'Content-ID', 'X'],
    ),
    fc.oneof(
      words,
      fc.constantFrom(
        ...[
          'multipart/mixed; boundary=b',
          'multipart/alternative; boundary="b"',
          'text/html',
          'message/rfc822',
        ],
        ...[
          'text/plain; format=flowed',
          'base64',
          'quoted-printable',
          'attachment; filename=',
          'text/calendar',
        ],
        ...[
          'message/delivery-status',
          'multipart/report; boundary=b',
          '<sam@example.org>',
          '"a b"@example.org',
        ],
      ),
      fc.constantFrom(...CHARSETS).map((charset) => `text/plain; charset=${charset}`),
    ),
  )
  .map((parts) => parts.join(': '))
const block = fc
  .tuple(fc.array(header, { maxLength: 6 }), words)
  .map(([headers, body]) => `${headers.join('\r\n')}\r\n\r\n${body}`)
const mail = fc
  .array(block, { minLength: 1, maxLength: 5 })
  .map((blocks) => Buffer.from(blocks.join('\r\n--b\r\n'), 'latin1'))

it('any mail is read or has a problem, and what is read can be stored', async () => {
  await fc.assert(
    fc.asyncProperty(mail, async (raw) => {
      const read = await parseMail(raw)
      const head = readHead(raw)
      if ('problem' in read) return
      // The limits are taken by the headers alone.
      expect(head && { ...head, subject: '' }).toEqual({
        ...{ headers: read.headers, from: read.from, to: read.to, messageId: read.messageId, subject: '' },
      })
      for (const text of [read.text, read.quoted, read.subject]) expect(text.isWellFormed()).toBe(true)
      const { text, quoted } = textsOf(read)
      expect(text + quoted + leftOutNote(read.files.map(({ name }) => name))).not.toMatch(/[^\P{Cc}\n\t]/u)
      tokensIn(read.to, 'support@acme.example')
    }),
    { numRuns },
  )
}, 3_600_000)

it('text in a charset that reads it back is read as it was, when it is labeled so', () => {
  const labels = ['utf-8', 'windows-1252', 'windows-1251', 'shift_jis', 'gb18030', 'big5', 'euc-kr', 'cp850']
  fc.assert(
    fc.property(fc.constantFrom(...labels), fc.string({ unit: 'grapheme', minLength: 1 }), (label, text) => {
      const bytes = iconv.encode(text, label)
      fc.pre(
        iconv.decode(bytes, label) === text &&
          !text.startsWith('\ufeff') &&
          !text.includes('\0') &&
          !text.includes('\ufffd'),
      )
      // By chance valid in UTF-8, which comes first.
      fc.pre(label === 'utf-8' || Buffer.from(bytes).toString().includes('\ufffd'))
      fc.pre(iconv.encode(text, 'utf-8').length > text.length)
      expect(readText(bytes, [label])).toBe(text)
    }),
    { numRuns },
  )
}, 3_600_000)

it('no byte that has a reading becomes U+FFFD', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), fc.constantFrom(null, 'utf-8', 'x'), (bytes, label) => {
      const text = readText(bytes, [label])
      const cut = text.slice(0, -1)
      if (!bytes.includes(0) && !bytes.includes(0x1b)) expect(cut).not.toContain('\ufffd')
    }),
    { numRuns },
  )
}, 3_600_000)
