import { describe, expect, it } from 'vitest'
import { shippedTexts } from '../languages/shipped.ts'
import { visitorMail } from './visitor-mail.ts'

const ANN = 'a'.repeat(24)
const BEN = 'b'.repeat(24)

const mailIn = async (tag: 'en' | 'zh', messages: Parameters<typeof visitorMail>[0]['messages']) =>
  visitorMail({
    language: { tag, dir: 'ltr', texts: shippedTexts(tag) ?? {} },
    ...{ messages, isCut: false, brand: 'Acme', supportEmail: 'help@acme.example' },
    publicUrl: 'https://acme.example',
    resumeUrl: 'https://acme.example/c#resume',
    isAnswerRead: false,
    unsubscribeUrl: 'https://acme.example/c/unsubscribe#end',
    people: { [ANN]: { name: 'Ann' }, [BEN]: { name: 'Ben' } },
  })

describe('the mail to a visitor', () => {
  it.each<['en' | 'zh', ...string[]]>([
    ['en', 'Ann wrote:', 'Ben wrote:', 'Attached: plan.pdf'],
    ['zh', 'Ann：', 'Ben：', '附件：plan.pdf'],
  ])('names who wrote several messages in a row once, in %s', async (locale, ann, ben, attached) => {
    const attachments = [{ _id: 'f', name: 'plan.pdf', type: 'application/pdf' as const, bytes: 9 }]
    const mail = await mailIn(locale, [
      { senderId: ANN, message: 'one' },
      { senderId: ANN, message: 'two\n\nlines' },
      { senderId: ANN, message: '', attachments },
      { senderId: ANN, message: 'four' },
      { senderId: ANN, message: 'five' },
      { senderId: BEN, message: 'I can help too' },
      { senderId: ANN, message: 'thanks' },
    ])
    const quoted = [
      `${ann}\n> one\n\n> two\n>\n> lines\n\n> ${attached}\n\n> four\n\n> five`,
      `${ben}\n> I can help too`,
      `${ann}\n> thanks`,
    ]
    expect(mail.text).toContain(`\n\n${quoted.join('\n\n')}\n\n`)
    const html = mail.html.replaceAll(/<\/?bdi>/g, '')
    const shown = [...html.matchAll(/<strong>(.*?)<\/strong>|<blockquote.*?>(.*?)<\/blockquote>/g)]
    expect(shown.map(([, heading, quote]) => heading ?? quote?.replaceAll(/<.*?>/g, ' ').trim())).toEqual([
      ann,
      'one',
      'two     lines',
      attached,
      'four',
      'five',
      ben,
      'I can help too',
      ann,
      'thanks',
    ])
  })

  it('keeps indentation, and links what the chat links', async () => {
    const { text, html } = await mailIn('en', [
      { senderId: ANN, message: '   if x:\n       y("<b>") # “https://exam.example/?a=1&b=2”' },
    ])
    expect(text).toContain('>    if x:\n>        y("<b>") # “https://exam.example/?a=1&b=2”\n')
    expect(html).toContain('white-space: pre-wrap')
    expect(html).toContain('<div dir="auto">   if x:</div>')
    const address = 'https://exam.example/?a=1&amp;b=2'
    expect(html).toContain(`y(&quot;&lt;b&gt;&quot;) # “<a href="${address}">${address}</a>”</div>`)
  })

  it('shows what marks mean as HTML, and as typed in the text', async () => {
    const message =
      '**Bring** _your_ `<b>`:\n\n- [this page](https://exam.example/?a=1&b="2)\n- [a "page"](https://exam.example/?a=1&b=2)\n3. **<i>**'
    const attachments = [{ _id: 'f', name: '**a**.pdf', type: 'application/pdf' as const, bytes: 9 }]
    const { text, html } = await mailIn('en', [{ senderId: ANN, message, attachments }])
    expect(text).toContain(
      `> ${message.replaceAll('\n', '\n> ').replace('> \n', '>\n')}\n> Attached: **a**.pdf\n`,
    )
    expect(html).toContain(
      [
        '<div dir="auto"><strong>Bring</strong> <em>your</em> <code>&lt;b&gt;</code>:</div>',
        '<div dir="auto"><br></div>',
        '<ul dir="auto" style="margin: 0; padding-inline-start: 1.5em">',
        '<li>[this page](<a href="https://exam.example/?a=1&amp;b=">https://exam.example/?a=1&amp;b=</a>&quot;2)</li>',
        '<li><a href="https://exam.example/?a=1&amp;b=2">a &quot;page&quot;</a></li></ul>',
        '<ol dir="auto" start="3" style="margin: 0; padding-inline-start: 1.5em">',
        '<li><strong>&lt;i&gt;</strong></li></ol>',
        '<div dir="auto">Attached: **a**.pdf</div></blockquote>',
      ].join(''),
    )
  })
})
