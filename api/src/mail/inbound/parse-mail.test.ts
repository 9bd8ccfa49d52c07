import { describe, expect, it } from 'vitest'
import { parts, rawMail } from '../../../test/mails.ts'
import { isDomainVerified } from './authentication.ts'
import { leftOutNote, textsOf, tokensIn } from './mail-rules.ts'
import { type ParsedMail, parseMail } from './parse-mail.ts'
import { parseInThread } from './parser.ts'

async function parsed(options: Parameters<typeof rawMail>[0] = {}): Promise<ParsedMail> {
  const mail = await parseMail(Buffer.from(rawMail(options), 'latin1'))
  if ('problem' in mail) throw new Error(mail.problem)
  return mail
}
const html = (body: string) => parsed({ type: 'text/html; charset=utf-8', body })

describe('the text of a mail', () => {
  it('is the plain part, else the HTML part', async () => {
    const plain = 'Content-Type: text/plain\r\n\r\nplain words'
    const rich = 'Content-Type: text/html\r\n\r\n<p>rich words</p>'
    const type = 'multipart/alternative; boundary=b'
    expect((await parsed({ type, body: parts('b', plain, rich) })).text).toBe('plain words')
    expect((await parsed({ type, body: parts('b', rich) })).text).toBe('rich words')
  })

  it.each([
    ['scripts and styles', '<style>p{}</style><p>seen</p><script>alert(1)</script><template>x</template>'],
    ['the attribute hidden', '<p>seen</p><div hidden><p>un<b>seen</b></p></div>'],
    ['display:none', '<p>seen</p><div style="color:red; DISPLAY : none !important">unseen<br>more</div>'],
    ['visibility:hidden', '<p>seen</p><span style="visibility:hidden">unseen</span>'],
    ['an element that is never closed', '<p>seen</p><span style="display:none">unseen<p>more'],
  ])('has nothing that is hidden by %s', async (_, body) => {
    expect((await html(body)).text).toBe('seen')
  })

  it('of format=flowed is read as it was written', async () => {
    const body = '> When is \r\n> it? \r\nAt nine, \r\nas you said.'
    const mail = await parsed({ type: 'text/plain; format=flowed', body })
    expect(mail).toMatchObject({ text: 'At nine, as you said.', quoted: '> When is it?' })
    const joined = await parsed({ type: 'text/plain; format=flowed; delsp=yes', body: 'ab \r\ncd' })
    expect(joined.text).toBe('abcd')
  })

  it('ends in the plain part where the HTML part says so', async () => {
    const plain = 'Content-Type: text/plain\r\n\r\nplain *words*\r\n\r\nZzz\r\nOLDTEXT'
    const rich =
      'Content-Type: text/html\r\n\r\n<p>plain <b>words</b></p><div id=divRplyFwdMsg>Zzz</div>OLDTEXT'
    const type = 'multipart/alternative; boundary=b'
    expect(await parsed({ type, body: parts('b', plain, rich) })).toMatchObject({
      text: 'plain *words*',
      quoted: 'Zzz\nOLDTEXT',
    })
  })

  it('keeps lines, lists and the addresses of links', async () => {
    const { text } = await html(
      '<h1>Hi</h1><div>one<br>two</div><ul><li>a</li><li>b</li></ul><a href="https://x.example/y">here</a> &lt;b&gt;',
    )
    expect(text).toBe('Hi\n\none\ntwo\n\n- a\n- b\n\nhere (https://x.example/y) <b>')
  })

  it.each([
    ['On Thu, 1 Jan 2026 at 10:00, Acme <a@acme.example> wrote:\n> old', 'On Thu'],
    ['Acme <a@acme.example> 于2026年1月1日周四 10:00写道：\n> old', 'Acme <a@'],
    ['在 2026年1月1日，Acme <a@acme.example> 写道：\n> old', '在 2026年'],
    ['-- \nSam\n+1 202 555 0147', '-- '],
  ])('does not have the quote or signature %j', async (added, start) => {
    const { text, quoted } = await parsed({
      body: Buffer.from(`在家里考试可以吗？\nThanks\n\n${added}`).toString('latin1'),
    })
    expect(text).toBe('在家里考试可以吗？\nThanks')
    expect(quoted.startsWith(start.trim())).toBe(true)
  })

  it('is the whole mail when that is nothing but a quote', async () => {
    expect(await parsed({ body: '> only\r\n> quotes' })).toMatchObject({
      text: '> only\n> quotes',
      quoted: '',
    })
  })

  it.each([
    ['gb2312', 'xOO6ww==', '你好'],
    ['shift_jis', 'grGC8YLJgr+CzQ==', 'こんにちは'],
    ['iso-8859-1', 'Z3L832U=', 'grüße'],
    ['no-such-charset', 'aGVsbG8=', 'hello'],
    ['utf-8', '/2hlbGxv', 'ÿhello'],
    ['utf-7', 'K0FEdy1zY3JpcHQrQUQ0LQ==', '<script>'],
  ])('in %s is read', async (charset, body, text) => {
    const type = `text/plain; charset=${charset}\r\nContent-Transfer-Encoding: base64`
    expect((await parsed({ type, body })).text).toBe(text)
  })

  it.each([
    ['iso-2022-jp', '\x1b$B$3$s\x1b(B <b>', 'こん <b>'],
    ['iso-2022-jp', 'open \x1b$B$3\x1b(B\x1b$B', 'open こ\ufffd'],
    ['iso-2022-kr', '\x1b$)Cseen\x0e\x0f', 'seen'],
    ['utf-16le', 's\0.\x20e\0\0\xd8', 'se\ufffd'],
    ['utf-32', 's\0\0\0e\0\0\0', 'se'],
    ['constructor', 'se\0en', 'seen'],
    ['utf-8', '\xed\xa0\x80\xe2\x80\xaeseen\xc3', 'í\xa0€â€®seenÃ'],
  ])('in %s can be stored with any bytes', async (charset, body, text) => {
    const mail = await parsed({ type: `text/plain; charset=${charset}`, body })
    expect(textsOf(mail).text).toBe(text)
  })

  it('is cut where parsing takes long, and not within a character', async () => {
    expect((await parsed({ body: 'x'.repeat(200_001) })).text).toHaveLength(200_000)
    expect((await html('<b>x</b>'.repeat(25_001))).text).toHaveLength(25_000)
    const { text } = await parsed({ body: Buffer.from(`x${'😀'.repeat(100_000)}`).toString('latin1') })
    expect(text.slice(-3)).toBe('😀\ufffd')
  })

  it('has no characters that a store refuses or that turn other text', () => {
    expect(textsOf({ text: 'a\0b\u202ec\x1b[31m', quoted: '\u2066' })).toEqual({
      text: 'abc[31m',
      quoted: '',
      rest: '',
    })
  })

  it('is cut between characters, and the rest is kept', () => {
    const { text, rest } = textsOf({ text: '😀'.repeat(5_000), quoted: '' })
    expect([[...text].length <= 4_000, [...text, ...rest].length]).toEqual([true, 5_000])
  })
})

describe('the sender of a mail', () => {
  it.each([
    ['none', null, []],
    ['a group', 'friends: sam@example.org, eve@example.org;', []],
    [
      'an encoded word with a line break',
      '=?utf-8?Q?Sam=0D=0ABcc:_eve@example.org?= <sam@example.org>',
      'sam@example.org',
    ],
    ['an address in its name', '"eve@example.org" <sam@example.org>', 'sam@example.org'],
  ])('with %s has one sender or none', async (_, from, expected) => {
    const mail = await parsed({ from: from ?? '' })
    expect(mail.from).toBe(typeof expected === 'string' ? expected : null)
    expect(mail.headers.map(({ key }) => key)).not.toContain('bcc')
  })

  it('is verified by the own server only', () => {
    const results = (...values: string[]) => values.map((value) => ({ key: 'authentication-results', value }))
    const isPass = (...values: string[]) =>
      isDomainVerified(results(...values), 'mx.acme.example', 'example.org')
    const pass = 'dmarc=pass (p=reject) header.from=example.org'
    expect(isPass(`mx.acme.example; dkim=pass header.d=example.org; ${pass}`)).toBe(true)
    expect(isPass(`MX.acme.example 1; ${pass}`)).toBe(true)
    expect(isPass(`other.example; dmarc=fail`, `mx.acme.example; ${pass}`)).toBe(true)
    expect(isPass(`mx.acme.example; dmarc=fail header.from=example.org; ${pass}`)).toBe(false)
    expect(isPass(`mx.acme.example.evil; ${pass}`)).toBe(false)
    expect(isPass(`(mx.acme.example;) evil.example; ${pass}`)).toBe(false)
    expect(isPass('mx.acme.example; none')).toBe(false)
    expect(isPass(`mx.acme.example; ${pass}; dmarc=fail header.from=example.org`)).toBe(false)
    expect(isPass(`mx.acme.example; spf=fail (a; ${pass}; (b) c)`)).toBe(false)
    expect(isPass('mx.acme.example; dmarc=passed header.from=example.org')).toBe(false)
    expect(isPass('mx.acme.example; dmarc=pass header.from=example.org.evil')).toBe(false)
    expect(isPass('mx.acme.example; dmarc=pass header.from=example.org header.from=evil.example')).toBe(false)
  })

  it('has no id from an encoded word', async () => {
    const id = `=?utf-8?B?${Buffer.from('<mail@acme.example>').toString('base64')}?=`
    const mail = await parsed({ messageId: null, headers: [`Message-ID: ${id}`] })
    expect(mail.messageId).toBeNull()
  })

  it('is known by the token of the address', () => {
    const token = 'a2'.repeat(12)
    const find = (...to: string[]) => tokensIn(to, 'Support@Acme.example')
    const address = `support+${token}@acme.example`
    expect(find('x@y.z', address, address)).toEqual([token])
    for (const form of [
      `"" <${address}>`,
      `"Doe, Sam" <${address.toUpperCase()}>, x@y.z`,
      `"support+${token}"@acme.example`,
      `"'${address}'" <'${address}'>`,
      `Team: x@y.z, Support <${address}>;`,
      `support+${token} @ acme.example (the "team")`,
      `<${address}>,<x@y.z>`,
      `=?utf-8?Q?<x>?= ${address}`,
    ])
      expect(find(form), form).toEqual([token])
    expect(
      find(`support+${token}x@acme.example`, `support+${token}@acme.example.evil`, 'support@acme.example'),
    ).toEqual([])
  })
})

describe('the type of a part', () => {
  const words = Buffer.from('Grüße, 你好').toString('latin1')

  it.each([
    'text',
    'text/plain charset=utf-8',
    'text/plain; charset=',
    'text/plain; charset="utf-8',
    'text/plain;; charset=utf-8; =; x',
    'charset=utf-8',
    '; charset=utf-8',
    '=?utf-8?Q?text/plain?=',
    'multipart/alternative',
    'multipart/mixed; boundary="never there"',
    'text/plain, text/html',
    '',
  ])('that cannot be parsed loses no words: %s', async (type) => {
    const mail = await parsed({ type, body: words })
    expect([mail.text, mail.files]).toEqual(['Grüße, 你好', []])
  })

  it.each([
    ['a charset in <meta>', '<meta charset="koi8-r"><p>', 'text/html', '\xc4\xc1', 'да'],
    [
      'one that the header has not',
      '<meta http-equiv=Content-Type content="text/html; charset=gb2312"><p>',
      'text/html; charset=utf-8',
      '\xba\xc3\xb5\xc4',
      '好的',
    ],
  ])('of HTML may be %s', async (_, start, type, bytes, text) => {
    expect((await parsed({ type, body: start + bytes })).text).toBe(text)
  })
})

describe('the files of a mail', () => {
  const typed = (type: string, head = '') => `Content-Type: ${type}\r\n${head}\r\neHg=`
  const mixed = async (...each: string[]) => {
    const body = parts('b', typed('text/plain'), ...each)
    return (await parsed({ type: 'multipart/mixed; boundary=b', body })).files
  }

  it('are those that a person attached', async () => {
    const files = await mixed(
      typed('application/pkcs7-signature; name="smime.p7s"'),
      typed('application/octet-stream', 'Content-Disposition: attachment; filename=smime.p7s\r\n'),
      typed('application/pgp-signature; name="signature.asc"'),
      typed('application/pgp-keys; name="OpenPGP_0x1.asc"'),
      typed('text/x-amp-html'),
      typed('application/ms-tnef'),
      typed('application/pkcs7-mime'),
      typed('text/calendar; method=REQUEST'),
      typed('application/zip; name=a.zip'),
    )
    expect(files.map(({ name }) => name)).toEqual(['winmail.dat', 'smime.p7m', 'invite.ics', 'a.zip'])
  })

  it('are decoration when they are small pictures of the text', async () => {
    const picture = (bytes: number, head = '') =>
      `Content-Type: image/png\r\nContent-ID: <a>\r\n${head}\r\n${'x'.repeat(bytes)}`
    const files = await mixed(
      picture(20),
      picture(100_000),
      picture(20, 'Content-Disposition: attachment\r\n'),
    )
    expect(files.map(({ isDecoration }) => isDecoration)).toEqual([true, false, false])
  })

  it.each([
    ['a reaction', 'text/vnd.google.email-reaction+json', true],
    ['an answer to an invitation', 'text/calendar; method=REPLY', true],
    ['another time for an invitation', 'text/calendar; method=counter', true],
    ['an invitation', 'text/calendar; method=REQUEST', false],
  ])('tell %s', async (_, type, isReaction) => {
    const body = parts('b', typed('text/plain'), typed(type))
    expect(await parsed({ type: 'multipart/alternative; boundary=b', body })).toMatchObject({ isReaction })
  })
})

describe('a hostile mail', () => {
  it.each([
    ['empty parts', () => '--b\n'.repeat(1_250_000), { problem: 'too-many-parts' }],
    ['ends of parts', () => '--b--\n'.repeat(1_000_000), { text: '' }],
    ['lines like boundaries', () => '--bx\n--\n'.repeat(600_000), {}],
    ['line breaks', () => `${'\n'.repeat(25_000_000)}--b\n\nx`, { text: 'x' }],
    ['one line of Base64', () => `--b\nContent-Transfer-Encoding: base64\n\n${'QUJD'.repeat(6_000_000)}`, {}],
    ['headers', () => `--b\n${'a\n'.repeat(2_000_000)}`, { problem: 'malformed' }],
  ])(
    'of %s is read within the bounds',
    async (_, body, expected) => {
      const raw = Buffer.from(rawMail({ type: 'multipart/mixed; boundary=b', body: body() }))
      const parsed = await parseInThread(raw)
      if ('problem' in expected) expect(parsed).toEqual(expected)
      else expect(parsed).toMatchObject({ ...expected, subject: 'Re: hello' })
    },
    20_000,
  )

  it('ends with its thread when it takes too long, and others go on', async () => {
    const encoding = 'text/plain\r\nContent-Transfer-Encoding: quoted-printable'
    const slow = rawMail({ type: encoding, body: '=41\r\n'.repeat(300_000) })
    // Starting the thread alone takes more.
    expect(await parseInThread(Buffer.from(slow), 20)).toEqual({ problem: 'too-slow' })
    expect(await parseInThread(Buffer.from(rawMail({ body: 'fine' })))).toMatchObject({ text: 'fine' })
  }, 20_000)

  it('is not too slow because the process stood still', async () => {
    const parsing = parseInThread(Buffer.from(rawMail({ body: 'fine' })), 1_500)
    // As on a suspended machine: no event arrives meanwhile. The next phase of the event loop is that of timers.
    await new Promise<void>((resolve) => {
      setImmediate(() => {
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_000)
        resolve()
      })
    })
    expect(await parsing).toMatchObject({ text: 'fine' })
  })

  it('may have a charset in each of many encoded words', async () => {
    const words = Array.from({ length: 5_000 }, (_, index) => `=?x${index}?Q?=00?=`).join(' ')
    const { subject, headers } = await parsed({ subject: words, from: `${words} <sam@example.org>` })
    expect([subject.length, headers.length]).toEqual([5_000, 8])
  })

  it.each(['a\r\nSet-Cookie: x.pdf', '\u202efdp.exe', 'a\0b\x1b[31m.png', '../../etc/passwd', '] [gone'])(
    'names a file %j in one line',
    async (name) => {
      const bytes = Buffer.from(name)
      const percent = bytes.toString('hex').replace(/../g, '%$&')
      for (const value of [`*=utf-8''${percent}`, `="=?utf-8?B?${bytes.toString('base64')}?="`]) {
        const head = `Content-Type: text/x-any\r\nContent-Disposition: attachment; filename${value}`
        const body = parts('b', `${head}\r\n\r\nx`)
        const { files } = await parsed({ type: 'multipart/mixed; boundary=b', body })
        expect(files.map((file) => file.name)).toEqual([name])
      }
      expect(leftOutNote([name])).toMatch(/^\[Files left out: [^\p{Cc}\u2028\u202a-\u202e]+\]$/u)
    },
  )

  it('names no more files than a message has room for', () => {
    const names = Array.from({ length: 49 }, (_, index) => `${index} ${'x'.repeat(100)}`)
    expect(leftOutNote([...names, ...names])).toMatch(/^\[Files left out: (\d x{78}, ){10}39 more\]$/)
  })

  it('of 25 MB is parsed', async () => {
    const body = parts(
      'b',
      'Content-Type: text/plain\r\n\r\nsmall',
      `Content-Type: application/pdf\r\nContent-Transfer-Encoding: base64\r\n\r\n${'QUJD'.repeat(6 * 1024 ** 2)}`,
    )
    const mail = await parseInThread(Buffer.from(rawMail({ type: 'multipart/mixed; boundary=b', body })))
    expect(mail).toMatchObject({ text: 'small' })
  }, 30_000)
})
