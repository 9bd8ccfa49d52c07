import iconv from 'iconv-lite'
import { expect, it } from 'vitest'
import { charsetOf, readText } from './charset.ts'

const bytesIn = (charset: string, text: string) => iconv.encode(text, charset)
const latin1 = (text: string) => Buffer.from(text, 'latin1')

it.each([
  ['us-ascii', 'déjà vu 你好'],
  ['iso-8859-1', 'Grüße'],
  ['iso-2022-jp', '明日の試験について'],
  ['gb2312', '你好'],
  ['gb2312', '谢谢'],
  ['shift_jis', 'naïve café'],
  ['windows-1251', 'Grüße'],
  ['koi8-r', 'Привет'],
  ['utf-16', 'plain'],
  ['utf-16', 'Grüße'],
  ['no-such-charset', '👍 ok'],
])('UTF-8 that is labeled %s is UTF-8: %s', (label, text) => {
  expect(readText(Buffer.from(text), [label])).toBe(text)
})

it.each([
  ['gb2312', '谢谢'],
  ['gbk', '你好，考试什么时候开始？'],
  ['big5', '謝謝'],
  // Found by `any-mail.test.ts`.
  ['big5', 'ぁ'],
  ['shift_jis', '試験'],
  ['euc-jp', 'ありがとう'],
  ['euc-kr', '감사합니다'],
  ['euc-kr', '가격은 50 € 뷁 ®'],
  ['windows-1251', 'Да'],
  ['koi8-r', 'моё'],
  ['windows-874', 'วน'],
  ['iso-8859-15', '15 €'],
  ['cp850', 'Grüße, déjà vu'],
  ['ibm437', 'naïve'],
  ['utf-7', '明日 a+b'],
  ['utf-16le', '谢谢'],
  ['utf-16be', 'Grüße'],
  ['utf-32', 'Grüße'],
  ['macintosh', 'Grüße'],
])('what is labeled %s rightly is read so: %s', (label, text) => {
  expect(readText(bytesIn(label, text), [label])).toBe(text)
})

it.each([
  ['windows-1252', 'c21 Grüße'],
  ['windows-1252', 'Señor, ¿mañana?'],
  ['windows-1252', '15 € für „alles“ – gut'],
  ['windows-1250', 'Dziękuję bardzo, źle zażółć gęślą jaźń'],
  ['cp850', 'Grüße, schöner Prüfungstag'],
  ['shift_jis', '明日のテスト、よろしく'],
  ['shift_jis', 'テスト'],
  ['euc-jp', 'ありがとう'],
  ['gbk', '好的，谢谢。'],
  ['big5', '考試什麼時候開始？我想知道'],
  ['euc-kr', '시험은 언제 시작합니까?'],
  ['windows-1251', 'Привет'],
  ['koi8-r', 'Спасибо, всё понятно. Когда начинается экзамен?'],
  ['windows-1253', 'Ευχαριστώ πολύ'],
  ['windows-1255', 'תודה רבה, מתי הבחינה'],
  ['windows-1256', 'شكرا جزيلا متى الامتحان'],
  ['windows-874', 'ขอบคุณครับ สอบเมื่อไหร่'],
  ['utf-16le', 'Grüße aus Wien'],
])('what is %s without a label, or with one that cannot be, is guessed: %s', (charset, text) => {
  for (const label of [null, 'us-ascii', 'utf-8', 'x-unknown'])
    expect(readText(bytesIn(charset, text), [label])).toBe(text)
})

it.each([
  ['a footer in windows-1252', '\nGr\xfc\xdfe', '\nGrüße'],
  ['a character that was cut', ' \xe4\xbd', ' \ufffd'],
])('UTF-8 with %s stays UTF-8', (_, end, text) => {
  const start = 'naïve café, déjà vu'
  expect(readText(Buffer.concat([Buffer.from(start), latin1(end)]), ['utf-8'])).toBe(start + text)
})

it.each([
  ['Japanese escapes', '\x1b$BL@F|\x1b(B ok', null, '明日 ok'],
  ['half-width letters', '\x1b(I1\x1b(B', null, 'ｱ'],
  ['Korean escapes', '\x1b$)C\x0e0(;g\x0f ok', null, '감사 ok'],
  ['HZ', '~{<:Ky2;NpJ)~} ~~', 'hz-gb-2312', '己所不勿施 ~'],
  ['commands of a terminal', '\x1b[31mred', null, '\x1b[31mred'],
  ['UTF-7 without its label', '+ADw-', null, '+ADw-'],
])('%s within ASCII are read', (_, bytes, label, text) => {
  expect(readText(latin1(bytes), [label])).toBe(text)
})

it('takes the next label when the first one cannot be', () => {
  expect(readText(bytesIn('gbk', '好的'), ['utf-8', 'gbk'])).toBe('好的')
  expect(readText(bytesIn('cp850', 'é'), ['nonsense', 'cp850'])).toBe('é')
})

it('drops a byte order mark', () => {
  expect(readText(Buffer.from('\ufeffé'), ['iso-8859-1'])).toBe('é')
  expect(readText(Buffer.concat([latin1('\xff\xfe'), bytesIn('utf-16le', 'hé')]), [null])).toBe('hé')
  expect(readText(Buffer.concat([latin1('\xfe\xff'), bytesIn('utf-16be', 'hé')]), [null])).toBe('hé')
})

it.each([
  ['utf-8"', 'utf-8'],
  ["'UTF8'", 'utf-8'],
  ['utf-8//TRANSLIT', 'utf-8'],
  ['x-cp850', 'cp850'],
  ['CP936', 'gbk'],
  ['windows-31j', 'shift_jis'],
  ['iso8859_15', 'iso-8859-15'],
  ['us-ascii', null],
  ['unknown-8bit', null],
  ['base64', null],
  ['constructor', null],
  ['', null],
])('knows the label %j as %j', (label, name) => {
  expect(charsetOf(label)).toBe(name)
})
