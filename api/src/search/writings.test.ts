import type { SearchPage } from '@proctorpass/shared/schemas/search'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildTestApp, newClientId, type TestApp } from '../../test/build-app.ts'

let test: TestApp
let authorization: string

beforeAll(async () => {
  test = await buildTestApp({ variables: { RATE_LIMITS: 'off' } })
  authorization = (await test.signIn()).bearer.authorization
})
afterAll(() => test.close())

/** Stores a message, and answers what a search for each query marks in it: null where it isn't found. */
async function marksIn(message: string, queries: readonly string[]): Promise<(string[] | null)[]> {
  const clientId = newClientId()
  const sent = await test.call('POST', '/api/chat', { payload: { clientId, message } })
  expect(sent.statusCode).toBe(201)
  const marks: (string[] | null)[] = []
  for (const q of queries) {
    const path = `/api/search?${new URLSearchParams({ q, limit: '50' })}`
    const answer = await test.call('GET', path, { headers: { authorization } })
    expect(answer.statusCode, answer.body).toBe(200)
    const { hits }: SearchPage = answer.json()
    const hit = hits.find((found) => found.clientId === clientId && found.type === 'message')
    marks.push(hit ? hit.snippet.filter(({ match }) => match).map(({ text }) => text) : null)
  }
  return marks
}

describe('a search finds, and marks in the original text,', () => {
  it.each<[string, string, Record<string, string[]>]>([
    ['Thai', 'ขอคืนเงินค่าสอบเมื่อวานครับ', { คืนเงิน: ['คืนเงิน'], ค่าสอบ: ['ค่าสอบ'], 'วาน เงิน': ['เงิน', 'วาน'] }],
    ['Thai marks in another order', 'ขอนํ้าหน่อย', { น้ำ: ['นํ้า'] }],
    ['Lao', 'ຂ້ອຍລືມລະຫັດຜ່ານແລ້ວ', { ລະຫັດຜ່ານ: ['ລະຫັດຜ່ານ'] }],
    [
      'Khmer, also with invisible spaces',
      'ខ្ញុំ\u200bភ្លេច\u200bពាក្យសម្ងាត់',
      { ពាក្យសម្ងាត់: ['ពាក្យសម្ងាត់'], ភ្លេច: ['ភ្លេច'] },
    ],
    ['Burmese', 'စကားဝှက်မေ့သွားလို့ပါ', { စကားဝှက်: ['စကားဝှက်'] }],
    [
      'Korean words with particles',
      '온라인시험이 언제예요? 환불은요?',
      { 시험: ['시험'], '환불 언제': ['언제', '환불'], 온라인: ['온라인'] },
    ],
    ['a half of katakana', 'ﾊﾟｽﾜｰﾄﾞを忘れた', { パスワード: ['ﾊﾟｽﾜｰﾄﾞ'], ワード: ['ﾜｰﾄﾞ'] }],
    ['Hindi', 'मुझे परीक्षा की तारीख बदलनी है', { परीक्षा: ['परीक्षा'], 'तारीख बदल': ['तारीख', 'बदलनी'] }],
    ['Tamil', 'தேர்வுக்கான கட்டணம்', { கட்டணம்: ['கட்டணம்'], தேர்வு: ['தேர்வுக்கான'] }],
  ])('%s', async (_what, message, expected) => {
    expect(await marksIn(message, Object.keys(expected))).toEqual(Object.values(expected))
  })

  it.each<[string, string, Record<string, string[]>]>([
    [
      'a phone number',
      'Ring +1 (415) 555-0132 after six',
      {
        '4155550132': ['415) 555-0132'],
        '415-555-0132': ['415) 555-0132'],
        '555 0132': ['555-0132'],
        '+14155550132': ['1 (415) 555-0132'],
        '001 415 555 0132': ['1 (415) 555-0132'],
        '415 - 555 - 0132': ['415) 555-0132'],
        '0132': ['0132'],
        '(415)5550132 after': ['415) 555-0132', 'after'],
      },
    ],
    [
      'a phone number without separators',
      'Ring 0033612345678.',
      { '06 12 34 56 78': ['612345678'], '+33 6 12 34 56 78': ['33612345678'], '345678': ['345678'] },
    ],
    [
      'a phone number with its trunk zero',
      'Tel. +49 (0)30 901820-17',
      {
        '+493090182017': ['49 (0)30 901820-17'],
        '03090182017': ['30 901820-17'],
        '030 901820': ['30 901820'],
      },
    ],
    [
      'an American amount',
      'You charged $2,340.00 twice',
      {
        '2340': ['2,340'],
        '2.340,00': ['2,340'],
        '2340.00': ['2,340'],
        '2 340,00 twice': ['2,340', 'twice'],
      },
    ],
    [
      'a German amount',
      'Es waren 2.341,50 €',
      { '2341.5': ['2.341,50'], '2,341.50': ['2.341,50'], '2341': ['2.341'] },
    ],
    ['a French amount', 'Payé 2 342,00 €', { '2342': ['2 342'], '2,342.00': ['2 342'] }],
    ['a Swiss amount', 'CHF 2’343.00', { '2343': ['2’343'], chf2343: ['CHF 2’343'] }],
    ['an Indian amount', 'Rs.1,23,44,500', { '12344500': ['1,23,44,500'] }],
    [
      'a plain amount',
      'It was 2345 euros',
      {
        '2.345,00': ['2345'],
        '2,345.00': ['2345'],
        '2 345': ['2345'],
        '€ 2345': ['2345'],
        '2.345 €': ['2345'],
      },
    ],
    [
      'an order',
      'Re: ORD-2024/0815',
      {
        ord20240815: ['ORD-2024/0815'],
        ord: ['ORD'],
        '2024': ['2024'],
        '0815': ['0815'],
        'ord 2024 0815': ['ORD', '2024/0815'],
        'ORD_2024-0815': ['ORD-2024/0815'],
      },
    ],
    [
      'an order without separators',
      'It is inv20250917b',
      { 'INV-2025/0917-B': ['inv20250917b'], 'inv 2025': ['inv20250917'] },
    ],
    [
      'an account',
      'IBAN DE89 3704 0044 0532 0130 00',
      { DE89370400440532013000: ['DE89 3704 0044 0532 0130 00'], de893704: ['DE89 3704'] },
    ],
    [
      'an account without spaces',
      'IBAN GB29NWBK60161331926819',
      { 'GB29 NWBK 6016 1331 9268 19': ['GB29NWBK60161331926819'] },
    ],
    ['digits of other scripts', 'رقم الطلب ٤٥٦٧٨٩', { '456789': ['٤٥٦٧٨٩'], '٤٥٦٧٨٩': ['٤٥٦٧٨٩'] }],
    [
      'a date',
      'On 2031-03-14 at 09:45',
      { '20310314': ['2031-03-14'], '2031/03/14': ['2031-03-14'], '0945': ['09:45'] },
    ],
  ])('%s', async (_what, message, expected) => {
    expect(await marksIn(message, Object.keys(expected))).toEqual(Object.values(expected))
  })

  it.each<[string, string, Record<string, string[]>]>([
    [
      'letters with strokes',
      'Łukasz, Bjørn, Đorđe, Ħamrun, Guðrún',
      { lukasz: ['Łukasz'], bjorn: ['Bjørn'], dorde: ['Đorđe'], hamrun: ['Ħamrun'], gudrun: ['Guðrún'] },
    ],
    [
      'letters of two',
      'Þórr, Ærø, œuvre, Straße, ﬁnal',
      { thorr: ['Þórr'], aero: ['Ærø'], oeuvre: ['œuvre'], strasse: ['Straße'], final: ['ﬁnal'] },
    ],
    [
      'a Turkish ı',
      'Sınav İptali',
      { sinav: ['Sınav'], iptali: ['İptali'], 'SINAV İPTALİ': ['Sınav', 'İptali'] },
    ],
    [
      'plain letters by those with strokes',
      'lodka ostersund',
      { łódka: ['lodka'], østersund: ['ostersund'] },
    ],
    [
      'Arabic with tatweel and vowel points',
      'الامتحـــان في المَدْرَسَةِ',
      { الامتحان: ['الامتحـــان'], المدرسه: ['المَدْرَسَةِ'] },
    ],
    [
      'forms of Arabic letters',
      'إلغاء مستشفى أحمد',
      { الغاء: ['إلغاء'], مستشفي: ['مستشفى'], آحمد: ['أحمد'] },
    ],
    ['Persian letters on an Arabic keyboard', 'کیفیت', { كيفيت: ['کیفیت'] }],
    ['Hebrew with points', 'שָׁלוֹם', { שלום: ['שָׁלוֹם'] }],
    ['full-width forms', 'Ｏｒｄｅｒ　９８７６５', { 'order 98765': ['Ｏｒｄｅｒ', '９８７６５'] }],
    ['digits on keycaps', 'Code 7️⃣5️⃣3️⃣1️⃣', { '7531': ['7️⃣5️⃣3️⃣1️⃣'] }],
  ])('%s', async (_what, message, expected) => {
    expect(await marksIn(message, Object.keys(expected))).toEqual(Object.values(expected))
  })

  it('short numbers and parts of numbers only where they stand alone', async () => {
    expect(await marksIn('Room 71, at 8:09', ['71 at', '719', '1', '809', '8', '09'])).toEqual([
      ['71', 'at'],
      null,
      null,
      null,
      ['8'],
      ['09'],
    ])
    expect(await marksIn('Invoice 8675309', ['75309', '6753', '5309', '"8675"'])).toEqual([
      null,
      null,
      null,
      null,
    ])
    expect(await marksIn('One 8811 and two 9922', ['9922 8811', '88119922'])).toEqual([
      ['8811', '9922'],
      null,
    ])
  })
})
