import { describe, expect, it } from 'vitest'
import { linkify } from './linkify.ts'

const hrefs = (text: string) => linkify(text).flatMap((part) => (typeof part === 'string' ? [] : [part.href]))
const shown = (text: string) =>
  linkify(text)
    .map((part) => (typeof part === 'string' ? part : part.text))
    .join('')

describe('linkify', () => {
  it('finds web and mail addresses inside a sentence', () => {
    expect(linkify('See https://example.com/a?b=c#d, or write to help@example.com.')).toEqual([
      'See ',
      { text: 'https://example.com/a?b=c#d', href: 'https://example.com/a?b=c#d' },
      ', or write to ',
      { text: 'help@example.com', href: 'mailto:help@example.com' },
      '.',
    ])
  })

  it('links www. as https', () => {
    expect(hrefs('www.example.com')).toEqual(['https://www.example.com/'])
  })

  it('excludes brackets around an address and includes those inside it', () => {
    expect(linkify('(https://en.wikipedia.org/wiki/Exam_(disambiguation))')[1]).toEqual({
      text: 'https://en.wikipedia.org/wiki/Exam_(disambiguation)',
      href: 'https://en.wikipedia.org/wiki/Exam_(disambiguation)',
    })
  })

  it('ends at Chinese punctuation', () => {
    expect(linkify('请看https://example.com/路，谢谢')).toEqual([
      '请看',
      { text: 'https://example.com/路', href: 'https://example.com/%E8%B7%AF' },
      '，谢谢',
    ])
  })

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'javascript&colon;alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'https://user@example.com/',
    'https://bank.example@evil.example/',
    'https://',
    'http:///',
    'https://[not-an-address',
    'mailto:',
    'mailto:nobody',
    'xhttps://example.com',
  ])('leaves %j as text', (text) => {
    expect(hrefs(text)).toEqual([])
    expect(shown(text)).toBe(text)
  })

  it('links only http, https and mailto', () => {
    const text =
      'javascript:https://example.com javascript://www.example.com/%0aalert(1) feed:http://example.com'
    for (const href of hrefs(text)) expect(href).toMatch(/^(https?:\/\/|mailto:)/)
    expect(shown(text)).toBe(text)
  })

  it('ends an address at invisible characters', () => {
    expect(hrefs('https://example.com/\u202egpj.exe')).toEqual(['https://example.com/'])
  })

  it.each([
    ['“https://exam.example/a”', 'https://exam.example/a'],
    ['“https://exam.example/a”和', 'https://exam.example/a'],
    ['请看“https://exam.example/a”。', 'https://exam.example/a'],
    ['«https://exam.example/a»', 'https://exam.example/a'],
    ['»https://exam.example/a«,', 'https://exam.example/a'],
    ['„https://exam.example/a“.', 'https://exam.example/a'],
    ['”https://exam.example/a”', 'https://exam.example/a'],
    ['‹https://exam.example/a›', 'https://exam.example/a'],
    ['‘https://exam.example/a’s', 'https://exam.example/a'],
    ["'https://exam.example/a'", 'https://exam.example/a'],
    ['「https://exam.example/a」です', 'https://exam.example/a'],
    ['【https://exam.example/a】', 'https://exam.example/a'],
    ['〈https://exam.example/a〉', 'https://exam.example/a'],
    ['（https://exam.example/a）です', 'https://exam.example/a'],
    ['＜https://exam.example/a＞', 'https://exam.example/a'],
    ['⟨https://exam.example/a⟩', 'https://exam.example/a'],
    ['[text](https://exam.example/a)[more]', 'https://exam.example/a'],
    ['{https://exam.example/a}', 'https://exam.example/a'],
    ['https://exam.example/صفحة، شكرا', 'https://exam.example/صفحة'],
    ['https://exam.example/صفحة،شكرا', 'https://exam.example/صفحة'],
    ['https://exam.example/صفحة؟', 'https://exam.example/صفحة'],
    ['https://exam.example/ज।', 'https://exam.example/ज'],
    ['https://exam.example/a։', 'https://exam.example/a'],
    ['https://exam.example/路。谢谢', 'https://exam.example/路'],
    ['https://exam.example/a—', 'https://exam.example/a'],
    ['https://exam.example/a…', 'https://exam.example/a'],
    ["https://exam.example's page", 'https://exam.example'],
    ['https://exam.example’s page', 'https://exam.example'],
    ['https://exam.example/a\u200d', 'https://exam.example/a'],
    ['https://exam.example/a\u200b\u2069', 'https://exam.example/a'],
  ])('ends before what closes the text around it: %j', (text, link) => {
    expect(linkify(text).flatMap((part) => (typeof part === 'string' ? [] : [part.text]))).toEqual([link])
    expect(shown(text)).toBe(text)
  })

  it.each([
    'https://exam.example/👩\u200d💻/x',
    'https://exam.example/می\u200cخواهم/',
    'https://exam.example/佐々木〇',
    'https://exam.example/ｶﾀｶﾅ/Ａ１',
    'https://exam.example/レオナルド・ダ・ヴィンチ',
    'https://exam.example/阿尔伯特·爱因斯坦',
    'https://exam.example/Michelson–Morley',
    'https://exam.example/it’s',
    'https://exam.example/“quoted”/x',
    'https://exam.example/«x»',
    'https://exam.example/作品（2020）',
    'https://exam.example/{id}/x?a[]=1&b[c]=2',
    "https://exam.example/o'neil/x",
    'https://[::1]:8080/a',
    'https://münchen.example/ü',
    'https://exam.example/a-',
    'https://exam.example/a/',
    'https://exam.example/?q=100%',
    'https://web.example/2020/https://exam.example/a',
    "sam.o'neil@visitor.example",
    'jörg@visitor.example',
    'sam@münchen.example',
    'нина@пример.рф',
    'r&d@visitor.example',
    'sam+a_b-c.d@visitor.example',
  ])('does not cut %j', (link) => {
    for (const [before, after] of [
      ['', ''],
      ['see ', ' now'],
      ['(', ')'],
      ['“', '”,'],
      ['「', '」'],
      ["'", "'"],
      ['\n*', '*.'],
    ])
      expect(linkify(`${before}${link}${after}`)).toContainEqual({ text: link, href: expect.any(String) })
  })

  it('names no other person by a part of their address', () => {
    for (const text of [
      'sam.o’neil@visitor.example',
      'email=sam@visitor.example',
      'bounce-sam=visitor.example@lists.example',
      'a/sam@visitor.example',
      '|@visitor.example',
      'sam@visitor.exämple.例え',
      'sam@visitor.例え',
      'sam@visitor.example@evil.example',
      `${'x'.repeat(65)}@visitor.example`,
    ]) {
      expect([text, hrefs(text)]).toEqual([text, []])
      expect(shown(text)).toBe(text)
    }
    expect(hrefs("o'neil@visitor.example")).toEqual(["mailto:o'neil@visitor.example"])
    expect(hrefs('r&d50%@visitor.example')).toEqual(['mailto:r%26d50%25@visitor.example'])
  })

  it('finds an email address between letters that have no case', () => {
    expect(hrefs('请写信到sam@visitor.example谢谢')).toEqual(['mailto:sam@visitor.example'])
    expect(hrefs('メールはsam@visitor.exampleへ')).toEqual(['mailto:sam@visitor.example'])
  })

  it('finds the link behind a comma', () => {
    expect(hrefs('https://a.example/一，https://b.example/二')).toHaveLength(2)
    expect(hrefs('[https://a.example][www.b.example]')).toEqual([
      'https://a.example/',
      'https://www.b.example/',
    ])
  })

  it('keeps every character of any text', () => {
    for (const text of [
      '',
      ' ',
      'a\nb',
      '@@@',
      'a@b',
      'http://a http://b',
      '…https://example.com…',
      '\ud800',
      'www.',
    ]) {
      expect(shown(text)).toBe(text)
    }
  })

  // Quadratic behavior would take minutes here and end in the runner's time limit.
  it.each([
    'http://',
    'www.',
    'a@',
    'a',
    'a.',
    '@',
    ')',
    'https://a(',
    'mailto:a@',
    '-.',
    'https://a)',
    "'",
    'a@a.',
    '“www.a',
  ])('is done with a megabyte of %j', (piece) => {
    const text = piece.repeat(1_000_000 / piece.length)
    expect(shown(text)).toBe(text)
  })
})
