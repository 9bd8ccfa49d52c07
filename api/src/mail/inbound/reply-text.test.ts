import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { htmlLines } from './html-text.ts'
import { lineText } from './line-writer.ts'
import { replyText } from './reply-text.ts'

const HELP = 'Help Team <help@acme.example>'
/** Two lines of an answer, and between them nothing that a mail program would write. */
const ANSWER = 'It works now.\nMy number is 12, at 10:30.'

/** The line before a quote, as mail programs write it; the quote behind it has marks. */
const ATTRIBUTIONS: [client: string, line: string][] = [
  ['Gmail, English', `On Mon, Nov 23, 2026 at 9:00 AM ${HELP} wrote:`],
  [
    'Gmail, German, wrapped in the address',
    'Am Mo., 23. Nov. 2026 um 09:00 Uhr schrieb Help Team <\nhelp@acme.example>:',
  ],
  [
    'Gmail, German, wrapped before the name',
    `Am Montag, dem 23. November 2026 um 09:00 Uhr schrieb die Hilfe\n${HELP}:`,
  ],
  ['Gmail, French', `Le lun. 23 nov. 2026 à 09:00, ${HELP} a écrit :`],
  ['Gmail, Spanish', `El lun, 23 nov 2026 a las 9:00, Help Team (<help@acme.example>) escribió:`],
  ['Gmail, Portuguese', `Em seg., 23 de nov. de 2026 às 09:00, ${HELP}\nescreveu:`],
  ['Gmail, Italian', `Il giorno lun 23 nov 2026 alle ore 09:00 ${HELP} ha scritto:`],
  ['Gmail, Dutch', `Op ma 23 nov 2026 om 09:00 schreef ${HELP}:`],
  ['Gmail, Danish', `Den man. 23. nov. 2026 kl. 09.00 skrev ${HELP}:`],
  ['Gmail, Swedish', `Den mån 23 nov. 2026 kl 09:00 skrev ${HELP}:`],
  ['Gmail, Finnish', `ma 23. marrask. 2026 klo 9.00 Help Team (help@acme.example) kirjoitti:`],
  ['Gmail, Polish', `pon., 23 lis 2026 o 09:00 ${HELP} napisał(a):`],
  ['Gmail, Czech', `po 23. 11. 2026 v 9:00 odesílatel ${HELP} napsal:`],
  ['Gmail, Hungarian', `Help Team <help@acme.example> ezt írta (időpont: 2026. nov. 23., H, 9:00):`],
  ['Gmail, Romanian', `În lun., 23 nov. 2026 la 09:00, ${HELP} a scris:`],
  ['Gmail, Greek', `Στις Δευ 23 Νοε 2026 στις 9:00 π.μ., ο χρήστης ${HELP} έγραψε:`],
  ['Gmail, Turkish', `Help Team <help@acme.example>, 23 Kas 2026 Pzt, 09:00 tarihinde şunu yazdı:`],
  ['Gmail, Russian', `пн, 23 нояб. 2026 г. в 09:00, ${HELP}:`],
  ['Gmail, Ukrainian', `пн, 23 лист. 2026 р. о 09:00 ${HELP} пише:`],
  ['Gmail, Bulgarian', `На пн, 23.11.2026 г. в 9:00 ч. ${HELP} написа:`],
  [
    'Gmail, Arabic',
    'في الاثنين، ٢٣ نوفمبر ٢٠٢٦ في ٩:٠٠ ص تمت كتابة ما يلي بواسطة \u202aHelp Team\u202c\u200f <\u202ahelp@acme.example\u202c\u200f>:',
  ],
  [
    'Gmail, Hebrew',
    '\u202bבתאריך יום ב׳, 23 בנוב׳ 2026 ב-9:00 מאת \u202aHelp Team\u202c\u200f <\u202ahelp@acme.example\u202c\u200f>:\u202c',
  ],
  ['Gmail, Japanese', `2026年11月23日(月) 18:00 ${HELP}:`],
  ['Gmail, Korean', `2026년 11월 23일 (월) 오후 6:00, ${HELP}님이 작성:`],
  ['Gmail, Chinese', `Help Team <help@acme.example> 于2026年11月23日周一 17:00写道：`],
  ['Gmail, Taiwan', `Help Team <help@acme.example> 於 2026年11月23日 週一 下午5:00寫道：`],
  ['Gmail, Vietnamese', `Vào Th 2, 23 thg 11, 2026 vào lúc 09:00 ${HELP} đã viết:`],
  ['Gmail, Thai', `ในวันที่ จ. 23 พ.ย. 2026 เวลา 09:00 ${HELP} เขียนว่า:`],
  ['Gmail, Icelandic: no word of it is in a list', `Þann mán., 23. nóv. 2026 kl. 09:00 reit ${HELP}:`],
  ['Gmail, Swahili', `Mnamo Jtt, 23 Nov 2026 saa 3:00 ${HELP} aliandika:`],
  ['Apple Mail', `On 23 Nov 2026, at 09:00, ${HELP} wrote:`],
  ['Apple Mail, without an address', 'On 23 Nov 2026, at 09:00, Help Team wrote:'],
  ['Apple Mail, Chinese', `在 2026年11月23日，下午5:00，${HELP} 写道：`],
  ['Apple Mail, Russian', `23 нояб. 2026 г., в 09:00, ${HELP} написал(а):`],
  ['Thunderbird', 'On 11/23/26 09:00, Help Team wrote:'],
  ['Thunderbird, German', 'Am 23.11.26 um 09:00 schrieb Help Team:'],
  ['Thunderbird, Japanese', 'On 2026/11/23 18:00, Help Team wrote:'],
  ['Thunderbird, Russian', '23.11.2026 09:00, Help Team пишет:'],
  ['Yandex', '23.11.2026, 12:00, "Help Team" <help@acme.example>:'],
  ['Mail.ru', `Понедельник, 23 ноября 2026, 12:00 +03:00 от ${HELP}:`],
  ['NetEase', 'At 2026-11-23 17:00:00, "Help Team" <help@acme.example> wrote:'],
  ['NetEase, Chinese', '在 2026-11-23 17:00:00，"Help Team" <help@acme.example> 写道：'],
  ['Lotus Notes', 'Help Team <help@acme.example> wrote on 23.11.2026 09:00:00:'],
  ['Proton', `On Monday, November 23rd, 2026 at 9:00 AM, ${HELP} wrote:`],
  [
    'Proton, older',
    `------- Original Message -------\nOn Monday, November 23rd, 2026 at 9:00 AM, ${HELP} wrote:`,
  ],
  ['Zoho', `---- On Mon, 23 Nov 2026 09:00:00 +0000 ${HELP} wrote ---`],
  ['mutt', 'On Mon, Nov 23, 2026 at 09:00:00AM +0000, Help Team wrote:'],
  ['Emacs', 'Help Team <help@acme.example> writes:'],
  ['Roundcube', 'On 2026-11-23 09:00, Help Team wrote:'],
]

/** What stands before a quote without marks. */
const HEADERS: [client: string, lines: string][] = [
  [
    'Outlook',
    `From: ${HELP}\nSent: Monday, November 23, 2026 9:00 AM\nTo: Sam <sam@example.org>\nSubject: Re: Exam`,
  ],
  [
    'Outlook, names only',
    'From: Help Team\nSent: Monday, November 23, 2026 9:00 AM\nTo: Sam\nSubject: Re: Exam',
  ],
  [
    'Outlook, older',
    '-----Original Message-----\nFrom: Help Team [mailto:help@acme.example]\nSent: Monday, November 23, 2026 9:00 AM\nTo: Sam\nSubject: Re: Exam',
  ],
  [
    'Outlook.com',
    `${'_'.repeat(32)}\nFrom: ${HELP}\nSent: Monday, November 23, 2026 9:00 AM\nTo: Sam <sam@example.org>\nSubject: Re: Exam`,
  ],
  [
    'Outlook, German',
    `Von: ${HELP}\nGesendet: Montag, 23. November 2026 09:00\nAn: Sam <sam@example.org>\nBetreff: AW: Prüfung`,
  ],
  [
    'Outlook, French',
    `De\u00a0: ${HELP}\nEnvoyé\u00a0: lundi 23 novembre 2026 09:00\nÀ\u00a0: Sam <sam@example.org>\nObjet\u00a0: RE: Examen`,
  ],
  [
    'Outlook, Danish',
    `Fra: ${HELP}\nSendt: 23. november 2026 09:00\nTil: Sam <sam@example.org>\nEmne: Re: Eksamen`,
  ],
  [
    'Outlook, Chinese',
    `发件人: ${HELP}\n发送时间: 2026年11月23日 17:00\n收件人: Sam <sam@example.org>\n主题: 答复: 考试`,
  ],
  [
    'Outlook, Japanese',
    `差出人: ${HELP}\n送信日時: 2026年11月23日 18:00\n宛先: Sam <sam@example.org>\n件名: RE: 試験`,
  ],
  [
    'Outlook, Korean',
    `보낸 사람: ${HELP}\n보낸 날짜: 2026년 11월 23일 월요일 오후 6:00\n받는 사람: Sam <sam@example.org>\n제목: RE: 시험`,
  ],
  [
    'Outlook, Russian',
    `От: ${HELP}\nОтправлено: 23 ноября 2026 г. 9:00\nКому: Sam <sam@example.org>\nТема: Re: Экзамен`,
  ],
  [
    'Outlook, Ukrainian',
    `Від: ${HELP}\nНадіслано: 23 листопада 2026 р. 9:00\nКому: Sam <sam@example.org>\nТема: Re: Іспит`,
  ],
  [
    'Outlook, Polish',
    `Od: ${HELP}\nWysłano: poniedziałek, 23 listopada 2026 09:00\nDo: Sam <sam@example.org>\nTemat: Odp: Egzamin`,
  ],
  [
    'Outlook, Turkish',
    `Gönderen: ${HELP}\nGönderildi: 23 Kasım 2026 Pazartesi 09:00\nKime: Sam <sam@example.org>\nKonu: Ynt: Sınav`,
  ],
  [
    'Outlook, Arabic',
    `من: ${HELP}\nتاريخ الإرسال: 23 نوفمبر, 2026 09:00\nإلى: Sam <sam@example.org>\nالموضوع: رد: الامتحان`,
  ],
  [
    'Outlook, Hebrew',
    `\u200fמאת: ${HELP}\n\u200fנשלח: 23 נובמבר 2026 09:00\n\u200fאל: Sam <sam@example.org>\n\u200fנושא: בחינה`,
  ],
  [
    'Outlook, Vietnamese',
    `Từ: ${HELP}\nĐã gửi: 23 Tháng Mười Một 2026 09:00\nĐến: Sam <sam@example.org>\nChủ đề: Re: Bài thi`,
  ],
  [
    'Outlook, Icelandic: no word of it is in a list',
    `Frá: ${HELP}\nSent þann: 23. nóvember 2026 09:00\nTil: Sam <sam@example.org>\nEfni: Re: Próf`,
  ],
  [
    'Outlook, Georgian, names only',
    'გამგზავნი: Help Team\nგაგზავნილია: 23 ნოემბერი 2026 09:00\nადრესატი: Sam\nთემა: Re: Exam',
  ],
  [
    'Outlook, Word with bold headers',
    `*From:* ${HELP}\n*Sent:* Monday, November 23, 2026 9:00 AM\n*To:* Sam <sam@example.org>;\nEve <eve@example.org>\n*Subject:* Re: Exam`,
  ],
  [
    'QQ',
    `------------------ 原始邮件 ------------------\n发件人: "Help Team" <help@acme.example>;\n发送时间: 2026年11月23日(星期一) 下午5:00\n收件人: "Sam"<sam@example.org>;\n主题: Re: 考试`,
  ],
  [
    'QQ on a phone',
    '---原始邮件---\n发件人: "Help Team"<help@acme.example>\n发送时间: 2026年11月23日(周一) 下午5:00',
  ],
  [
    'Samsung',
    `-------- Original message --------\nFrom: ${HELP}\nDate: 23/11/2026 09:00 (GMT+00:00)\nTo: sam@example.org\nSubject: Re: Exam`,
  ],
  [
    'Samsung, Czech',
    `-------- Původní zpráva --------\nOd: ${HELP}\nDatum: 23.11.26 9:00 (GMT+01:00)\nKomu: sam@example.org\nPředmět: Re: Zkouška`,
  ],
  [
    'GMX',
    `Gesendet: Montag, 23. November 2026 um 09:00 Uhr\nVon: "Help Team" <help@acme.example>\nAn: sam@example.org\nBetreff: Aw: Prüfung`,
  ],
  [
    'Hotmail',
    `Date: Mon, 23 Nov 2026 09:00:00 +0000\nFrom: help@acme.example\nTo: sam@example.org\nSubject: Re: Exam`,
  ],
  [
    'Yahoo',
    `----- Original Message -----\nFrom: "Help Team" <help@acme.example>\nTo: "Sam" <sam@example.org>\nSent: 11/23/2026 9:00:00 AM\nSubject: Re: Exam`,
  ],
  ['Yahoo, today', `On Monday, November 23, 2026 at 09:00:00 AM GMT, ${HELP} wrote:  \n`],
  ['Outlook on a phone, without marks', `Le 23 nov. 2026 à 09:00, ${HELP} a écrit :`],
  [
    'Zimbra',
    `----- Mail original -----\nDe: "Help Team" <help@acme.example>\nÀ: "Sam" <sam@example.org>\nEnvoyé: Lundi 23 Novembre 2026 09:00:00\nObjet: Re: Examen`,
  ],
  [
    'NetEase',
    '---- Replied Message ----\n| From | Help Team<help@acme.example> |\n| Date | 11/23/2026 17:00 |\n| To | <sam@example.org> |\n| Subject | Re: Exam |',
  ],
  [
    'Naver',
    `-----Original Message-----\nFrom: "Help Team"<help@acme.example>\nTo: "Sam"<sam@example.org>;\nCc:\nSent: 2026-11-23 (월) 18:00:00 (GMT+09:00)\nSubject: Re: 시험`,
  ],
]

/** The HTML that mail programs make of an answer. */
const RICH: [client: string, html: string][] = [
  [
    'Gmail',
    `<div dir="ltr">ANSWER</div><br><div class="gmail_quote gmail_quote_container"><div dir="ltr" class="gmail_attr">Zzz 23 Zzz 2026 Help &lt;<a href="mailto:help@acme.example">help@acme.example</a>&gt; zzz:<br></div><blockquote class="gmail_quote" style="margin:0px 0px 0px 0.8ex;border-left:1px solid rgb(204,204,204);padding-left:1ex">OLDTEXT</blockquote></div>`,
  ],
  [
    'Outlook',
    `<div>ANSWER</div><div id="appendonsend"></div><hr style="display:inline-block;width:98%" tabindex="-1"><div id="divRplyFwdMsg" dir="ltr"><b>Zzz:</b> Help Team</div><div>OLDTEXT</div>`,
  ],
  [
    'Outlook for Windows',
    `<div class=WordSection1><p class=MsoNormal>ANSWER<o:p></o:p></p><p class=MsoNormal><o:p>&nbsp;</o:p></p><div style='border:none;border-top:solid #E1E1E1 1.0pt;padding:3.0pt 0cm 0cm 0cm'><p class=MsoNormal><b>From:</b> Help Team &lt;help@acme.example&gt; <br><b>Sent:</b> Monday, November 23, 2026 9:00 AM<br><b>To:</b> Sam &lt;sam@example.org&gt;<br><b>Subject:</b> Re: Exam</p></div><p class=MsoNormal>OLDTEXT</p></div>`,
  ],
  [
    'Outlook on a phone',
    `<div>ANSWER</div><div id="ms-outlook-mobile-signature">Get it</div><div id="mail-editor-reference-message-container"><div><b>Zzz:</b> Help<br>OLDTEXT</div></div>`,
  ],
  [
    'Apple Mail',
    `<body>ANSWER<br><div><br><blockquote type="cite"><div>Zzz 23.11.2026, Help zzz:</div><br class="Apple-interchange-newline"><div>OLDTEXT</div></blockquote></div></body>`,
  ],
  [
    'Thunderbird',
    `<p>ANSWER</p><div class="moz-cite-prefix">Zzz Help zzz<br></div><blockquote type="cite" cite="mid:1@acme.example">OLDTEXT</blockquote>`,
  ],
  [
    'Yahoo',
    `<div class="yahoo-style-wrap"><div>ANSWER</div></div><div id="ydp12ab34cdyahoo_quoted_8401234567" class="ydp12ab34cdyahoo_quoted"><div>Zzz Help zzz</div><div>OLDTEXT</div></div>`,
  ],
  [
    'Proton',
    `<div>ANSWER</div><div class="protonmail_signature_block">Sig</div><div class="protonmail_quote">On Monday, November 23rd, 2026 at 9:00 AM, Help &lt;help@acme.example&gt; wrote:<br><blockquote class="protonmail_quote" type="cite">OLDTEXT</blockquote></div>`,
  ],
  [
    'QQ',
    `<div>ANSWER</div><div><includetail><div style="font:12px"><div>------------------&nbsp;Zzz&nbsp;------------------</div><div><b>Zzz:</b>&nbsp;"Help"</div></div><div>OLDTEXT</div></includetail></div>`,
  ],
  [
    'NetEase',
    `<div>ANSWER</div><p>At 2026-11-23 17:00:00, "Help" &lt;help@acme.example&gt; wrote:</p><blockquote id="isReplyContent" style="PADDING-LEFT: 1ex; BORDER-LEFT: #ccc 1px solid">OLDTEXT</blockquote>`,
  ],
  [
    'Zoho',
    `<div>ANSWER</div><div class="zmail_extra_hr" style="border-top: 1px solid"></div><div class="zmail_extra"><div>---- Zzz 23 Zzz 2026 09:00:00 +0000 <b>Help &lt;help@acme.example&gt;</b> zzz ---</div><blockquote id="blockquote_zmail">OLDTEXT</blockquote></div>`,
  ],
  [
    'GMX',
    `<div>ANSWER</div><div name="quote" style="margin:10px; border-left:2px solid #C3D9E5;"><b>Zzz:</b> Zzz<br>OLDTEXT</div>`,
  ],
  [
    'Roundcube',
    `<p>ANSWER</p><p id="reply-intro">Zzz Help zzz</p><blockquote type="cite">OLDTEXT</blockquote>`,
  ],
]

const SIGNATURES = [
  '--\nSam\n+1 202 555 0147',
  `${'_'.repeat(32)}\nSam`,
  'Sent from my iPhone',
  'Get Outlook for iOS<https://aka.ms/o0ukef>',
  '获取 Outlook for iOS<https://aka.ms/o0ukef>',
  'Kind regards,\nSam',
  'Gesendet mit der GMX Mail App',
  'Von meinem iPhone gesendet',
  'Envoyé de mon iPhone',
  'Enviado do meu iPhone',
  'Inviato da iPhone',
  'Sendt fra min iPhone',
  'Отправлено с iPhone',
  'Wysłane z iPhone’a',
  '发自我的iPhone',
  'iPhoneから送信',
  '나의 iPhone에서 보냄',
  'iPhone’umdan gönderildi',
]

const words = (text: string) =>
  text
    .split(/\s+/)
    .filter((word) => word !== '')
    .toSorted()

describe('the answer in a mail', () => {
  it.each(ATTRIBUTIONS)('ends before the line of %s', (_, line) => {
    const text = `${ANSWER}\n\n${line}\n\n> OLDTEXT\n>\n> > older`
    expect(replyText({ text })).toEqual({ text: ANSWER, quoted: `${line}\n\n> OLDTEXT\n>\n> > older` })
  })

  it.each(ATTRIBUTIONS)('stands below, between and above a quote of %s', (_, line) => {
    const text = `above\n${line}\n> OLDTEXT\n\nbetween\n\n> OLDTEXT\nbelow`
    expect(replyText({ text }).text).toBe('above\n\nbetween\n\nbelow')
  })

  it.each(HEADERS)('ends before the headers of %s', (_, lines) => {
    const text = `${ANSWER}\n\n${lines}\n\nOLDTEXT is here: see\n\nHelp Team`
    const read = replyText({ text, subject: 'Re: Exam' })
    expect(read.text).toBe(ANSWER)
    expect(words(`${read.text} ${read.quoted}`)).toEqual(words(text))
  })

  it.each(RICH)('ends where HTML of %s says so, in any language', (_, html) => {
    const { text, quoted } = replyText({ text: '', html: html.replace('ANSWER', 'It <b>works</b> now.') })
    expect([text, quoted.includes('OLDTEXT')]).toEqual(['It works now.', true])
  })

  it.each(RICH.filter(([client]) => client !== 'Outlook for Windows'))(
    'is cut in the plain part where HTML of %s says so',
    (_, html) => {
      const text = 'It *works* now.\n\nZzz\nOLDTEXT\n'
      const body = html.replace('ANSWER', 'It <b>works</b> now.')
      expect(replyText({ text, html: body }).text).toMatch(/^It \*?works\*? now\.$/)
    },
  )

  it.each([
    [
      'Gmail',
      'Fwd: Bill',
      `---------- Forwarded message ---------\nFrom: Board <board@exam.example>\nDate: Mon, Nov 23, 2026 at 9:00 AM\nSubject: Bill\nTo: <sam@example.org>\n\nPay now`,
    ],
    [
      'Gmail, in any language',
      'Zzz: Bill',
      `---------- Zzzz zzz ---------\nZzz: Board <board@exam.example>\nZzz: Mon, Nov 23, 2026 at 9:00 AM\nZzz: Bill\nZzz: <sam@example.org>\n\nPay now`,
    ],
    [
      'Outlook',
      'FW: Bill',
      `${'_'.repeat(32)}\nFrom: Board <board@exam.example>\nSent: Monday, November 23, 2026 9:00 AM\nTo: Sam <sam@example.org>\nSubject: Bill\n\nPay now`,
    ],
    [
      'Outlook, German',
      'WG: Rechnung',
      `Von: Board <board@exam.example>\nGesendet: Montag, 23. November 2026 09:00\nAn: Sam <sam@example.org>\nBetreff: Rechnung\n\nPay now`,
    ],
    [
      'Outlook, Chinese',
      '转发: 账单',
      `发件人: Board <board@exam.example>\n发送时间: 2026年11月23日 17:00\n收件人: Sam <sam@example.org>\n主题: 账单\n\nPay now`,
    ],
    [
      'Apple Mail',
      'Fwd: Bill',
      `> Begin forwarded message:\n> \n> From: Board <board@exam.example>\n> Subject: Bill\n> Date: 23 November 2026 at 09:00:00 GMT\n> To: sam@example.org\n> \n> Pay now`,
    ],
    [
      'iPhone',
      'Fwd: Bill',
      `Begin forwarded message:\n\n> From: Board <board@exam.example>\n> Date: 23 November 2026 at 09:00:00 GMT\n> To: sam@example.org\n> Subject: Bill\n> \n> Pay now`,
    ],
    [
      'Thunderbird',
      'Fwd: Bill',
      `-------- Forwarded Message --------\nSubject: \tBill\nDate: \tMon, 23 Nov 2026 09:00:00 +0000\nFrom: \tBoard <board@exam.example>\nTo: \tsam@example.org\n\nPay now`,
    ],
    [
      'Thunderbird, Russian',
      'Fwd: Счёт',
      `-------- Перенаправленное сообщение --------\nТема: \tСчёт\nДата: \tMon, 23 Nov 2026 09:00:00 +0000\nОт: \tBoard <board@exam.example>\nКому: \tsam@example.org\n\nPay now`,
    ],
  ])('has all of a mail that %s passes on', (_, subject, forwarded) => {
    const text = `Is this right?\n\n${forwarded}`
    const { text: shown, quoted } = replyText({ text, subject })
    expect(words(shown)).toEqual(words(text))
    expect(quoted).toBe('')
  })

  it.each([
    ['a form', 'Name: Sam Smith\nEmail: sam@example.org\nDate: 23.11.2026 09:00\nProblem: it does not start'],
    ['a journey', 'From: Berlin\nTo: Paris\nDate: 23.11.2026 09:00\nSeat: 12'],
    ['two addresses', 'Old email: sam@example.org\nNew email: sam@example.net\nExam: 23.11.2026 09:00'],
    ['a list of times', 'I can take these:\n23.11.2026 09:00\n24.11.2026 10:30'],
    ['a colon behind a date', 'On 23.11.2026 at 09:00 the page said this:\nError 5'],
    ['an address', 'I asked board@exam.example on 23.11.2026 at 9:00, and the answer was:\nno'],
    ['parts with titles', '---- Question 1 ----\nWhen?\n\n---- Question 2 ----\nWhere?'],
    ['a wrapped link', 'See <https://acme.example/a-long-way\n> for it'],
    ['code', 'if (a > b)\n  c: 1\n  d: 2\n  e: 3'],
  ])('has all words of %s', (_, text) => {
    expect(replyText({ text, subject: 'Re: Exam' })).toEqual({ text, quoted: '' })
  })

  it.each(SIGNATURES)('does not have the signature %j', (signature) => {
    const quote = `On Mon, Nov 23, 2026 at 9:00 AM ${HELP} wrote:\n\n> OLDTEXT`
    expect(replyText({ text: `${ANSWER}\n\n${signature}\n\n${quote}\n\nPS` })).toEqual({
      text: `${ANSWER}\n\nPS`,
      quoted: `${signature}\n\n${quote}`,
    })
  })

  it('is a closing where there are no other words', () => {
    const text = `Cheers!\n\nOn Mon, Nov 23, 2026 at 9:00 AM ${HELP} wrote:\n> OLDTEXT`
    expect(replyText({ text }).text).toBe('Cheers!')
  })

  it('is the whole mail when that is nothing but a quote', () => {
    expect(replyText({ text: '> only\n> quotes' })).toEqual({ text: '> only\n> quotes', quoted: '' })
    expect(replyText({ text: '', html: '<blockquote>only</blockquote>' }).text).toBe('> only')
    expect(replyText({ text: '' })).toEqual({ text: '', quoted: '' })
  })

  it('keeps answers between the quotes of HTML', () => {
    const html =
      '<div class="gmail_quote"><div class="gmail_attr">Zzz:</div><blockquote class="gmail_quote">When?</blockquote><div>At nine.</div><blockquote class="gmail_quote">Where?</blockquote><div>At home.</div></div>'
    expect(replyText({ text: '', html })).toEqual({
      text: 'At nine.\n\nAt home.',
      quoted: 'Zzz:\n\n> When?\n\n> Where?',
    })
    expect(
      replyText({ text: '', html: '<blockquote style="margin:0 0 0 40px;border:none">moved</blockquote>' }),
    ).toEqual({ text: 'moved', quoted: '' })
  })
})

describe('the answer and what is folded', () => {
  const pieces = [...ATTRIBUTIONS, ...HEADERS].flatMap(([, text]) => text.split('\n'))
  const line = fc.oneof(
    fc.constantFrom(
      ...pieces,
      ...SIGNATURES,
      '',
      '> quoted',
      '>> older',
      '>',
      'words',
      '<https://x.example/a',
      '> b',
    ),
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.stringMatching(/^[-_:@<>.*a1 ]{0,30}$/),
  )
  const text = fc.array(line, { maxLength: 25 }).map((lines) => lines.join('\n'))
  const subject = fc.constantFrom('Re: Exam', 'Fwd: Exam', 'WG: Exam', '', '::', 'Exam')
  const tag = fc.oneof(
    fc.constantFrom(...'div p td tr table li ol ul br b a pre blockquote style x:y'.split(' ')),
    fc.constantFrom('/div', '/p', '/td', '/tr', '/table', '/li', '/ol', '/a', '/pre', '/blockquote', '/b'),
    fc.constantFrom(
      'div id=appendonsend',
      'div class=gmail_quote',
      'div class="moz-cite-prefix"',
      'div hidden',
    ),
    fc.constantFrom(
      'div class=moz-forward-container',
      'ol reversed',
      'a href="https://x.example"',
      'img alt=x',
    ),
  )
  const html = fc
    .array(
      fc.oneof(
        tag.map((name) => `<${name}>`),
        line,
      ),
      { maxLength: 40 },
    )
    .map((each) => each.join(''))

  it('have every word of a text', () => {
    fc.assert(
      fc.property(text, subject, (each, about) => {
        const read = replyText({ text: each, subject: about })
        expect(words(`${read.text}\n${read.quoted}`)).toEqual(words(each))
        if (words(each).length > 0) expect(read.text).not.toBe('')
      }),
    )
  })

  it('have every word of HTML, or of the text beside it', () => {
    fc.assert(
      fc.property(fc.constantFrom('', 'text'), text, html, subject, (kind, plain, rich, about) => {
        const each = kind === '' ? '' : plain
        const read = replyText({ text: each, html: rich, subject: about })
        const seen = words(`${read.text}\n${read.quoted}`)
        const ofRich = words(htmlLines(rich).map(lineText).join('\n'))
        expect([words(each), ofRich]).toContainEqual(seen)
      }),
    )
  })
})
