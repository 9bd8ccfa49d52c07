import iconv from 'iconv-lite'
import { describe, expect, it } from 'vitest'
import { parts, rawMail } from '../../../test/mails.ts'
import { parseMail } from './parse-mail.ts'

async function parsed(options: Parameters<typeof rawMail>[0]) {
  const mail = await parseMail(Buffer.from(rawMail(options), 'latin1'))
  if ('problem' in mail) throw new Error(mail.problem)
  return mail
}
const raw = (text: string, charset: string) => iconv.encode(text, charset).toString('latin1')
const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64')

describe('a subject', () => {
  const text = '明日の試験について'
  const bytes = Buffer.from(text)

  it.each([
    ['two words that cut a character', [bytes.subarray(0, 13), bytes.subarray(13)].map(base64)],
    [
      'three words that cut characters',
      [bytes.subarray(0, 7), bytes.subarray(7, 14), bytes.subarray(14)].map(base64),
    ],
    ['words that cut the Base64', [base64(bytes).slice(0, 10), base64(bytes).slice(10)]],
    ['a word without padding', [base64(bytes.subarray(0, 13)).replace(/=/g, ''), base64(bytes.subarray(13))]],
  ])('in %s is whole', async (_, words) => {
    const subject = words.map((word) => `=?utf-8?B?${word}?=`).join('\r\n ')
    expect((await parsed({ subject })).subject).toBe(text)
  })

  it.each([
    ['quoted words that cut a character', '=?utf-8?Q?a_=E4=BD?= =?UTF-8?q?=A0?=', 'a 你'],
    ['a word in two encodings', '=?utf-8?B?5L0=?= =?utf-8?Q?=A0!?=', '你!'],
    ['words beside text', 'Re: =?utf-8?Q?a?= b =?utf-8?Q?c?= =?utf-8?Q?d?=', 'Re: a b cd'],
    ['spaces and question marks in a word', '=?utf-8?Q?Really? Yes??=', 'Really? Yes?'],
    ['a language', '=?utf-8*en?Q?caf=C3=A9?=', 'café'],
    ['a wrong charset', '=?us-ascii?Q?caf=C3=A9?= =?gb2312?B?6K+V?=', 'café试'],
    ['cp850', '=?cp850?Q?Gr=81=E1e?=', 'Grüße'],
    ['an unknown charset', '=?x-y?Q?Gr=FC=DFe?=', 'Grüße'],
    ['no word at all', '=?utf-8?X?a?=', '=?utf-8?X?a?='],
  ])('with %s is read', async (_, subject, expected) => {
    expect((await parsed({ subject })).subject).toBe(expected)
  })

  it.each([
    ['utf-8', text, undefined],
    ['windows-1252', 'Prüfung für Größe', undefined],
    ['windows-1251', 'Когда начинается экзамен', undefined],
    // What the text says.
    ['gbk', '谢谢，你好', 'text/plain; charset=gb2312'],
    ['koi8-r', 'Да', 'text/plain; charset=koi8-r'],
    ['big5', '謝謝', 'text/plain; charset=big5'],
  ])('in bytes of %s without any word is read', async (charset, expected, type) => {
    expect((await parsed({ subject: raw(expected, charset), ...(type && { type }) })).subject).toBe(expected)
  })

  it('in ISO-2022-JP without any word is read, over several lines', async () => {
    const { subject } = await parsed({ subject: '\x1b$BL@F|\x1b(B\r\n \x1b$B$N;n83\x1b(B' })
    expect(subject).toBe('明日 の試験')
  })
})

it.each([
  ['bytes of windows-1252', `filename="${raw('Prüfung.pdf', 'windows-1252')}"`, 'Prüfung.pdf'],
  ['bytes of UTF-8', `filename="${Buffer.from('试.pdf').toString('latin1')}"`, '试.pdf'],
  ['words that cut a character', 'filename="=?utf-8?B?6K8=?= =?utf-8?B?lS5wZGY=?="', '试.pdf'],
  ['a wrong charset', "filename*=us-ascii''%E8%AF%95.pdf", '试.pdf'],
  ['cp850', "filename*=cp850''Gr%81%E1e.pdf", 'Grüße.pdf'],
  ['parts that cut a character', 'filename*0*=utf-8\'\'%E8%AF; filename*1*=%95; filename*2=".pdf"', '试.pdf'],
  ['parts in another order', 'filename*1=b.pdf; filename*0=a', 'ab.pdf'],
])('a file whose name has %s is named', async (_, parameter, name) => {
  const head = `Content-Type: application/pdf\r\nContent-Disposition: attachment; ${parameter}`
  const mail = await parsed({ type: 'multipart/mixed; boundary=b', body: parts('b', `${head}\r\n\r\nx`) })
  expect(mail.files.map((file) => file.name)).toEqual([name])
})
