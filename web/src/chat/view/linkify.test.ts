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
  it.each(['http://', 'www.', 'a@', 'a', 'a.', '@', ')', 'https://a(', 'mailto:a@', '-.', 'https://a)'])(
    'is done with a megabyte of %j',
    (piece) => {
      const text = piece.repeat(1_000_000 / piece.length)
      expect(shown(text)).toBe(text)
    },
  )
})
