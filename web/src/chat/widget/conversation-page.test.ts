// @vitest-environment jsdom

import type { ConversationExport } from '@proctorpass/shared/schemas/export'
import { describe, expect, it } from 'vitest'
import { english, chinese as zh } from '../../testing/words.ts'
import { conversationPage } from './conversation-page.ts'

const HOSTILE = `</p></style></title><script>alert(1)</script><img src=x onerror=alert(1)>"'&amp;`
const file: ConversationExport = {
  exportedAt: '2026-11-23T12:00:00.000Z',
  site: 'ProctorPass',
  profile: {
    name: HOSTILE,
    email: 'sam@example.com',
    examAt: '2026-11-24T08:30:00.000Z',
    device: null,
    page: null,
    referrer: null,
    lastSeenAt: null,
  } as ConversationExport['profile'],
  ratings: [{ score: 4, words: HOSTILE, at: '2026-11-23T11:00:00.000Z' } as never],
  messages: [
    { at: '2026-11-23T10:00:00.000Z', from: 'you', text: `Is it enough?\n${HOSTILE}` },
    { at: '2026-11-23T10:05:00.000Z', from: HOSTILE, text: '', attachments: [HOSTILE] },
  ],
}
const inEnglish = { tag: 'en', locale: 'en-GB', dir: 'ltr', words: english }
const parsed = (text: string) => new DOMParser().parseFromString(text, 'text/html')

describe('conversationPage', () => {
  it('shows every message with its author, local time and files', () => {
    const page = parsed(conversationPage(file, inEnglish))
    expect(page.documentElement.lang).toBe('en')
    expect(page.title).toBe('Your conversation with ProctorPass')
    expect(page.querySelector('h1')?.textContent).toBe(page.title)
    const rows = [...page.querySelectorAll('ol > li')]
    expect(rows).toHaveLength(2)
    expect(rows[0]?.querySelector('h2')?.textContent).toBe('You')
    expect(rows[0]?.querySelector('p')?.textContent).toBe(file.messages[0]?.text)
    const time = rows[0]?.querySelector('time')
    expect(time?.getAttribute('datetime')).toBe('2026-11-23T10:00:00.000Z')
    const local = new Date('2026-11-23T10:00:00.000Z').toLocaleString('en-GB', {
      dateStyle: 'full',
      timeStyle: 'short',
    })
    expect(time?.textContent).toBe(local)
    expect(rows[1]?.querySelector('ul')?.textContent).toBe(HOSTILE)
    expect(page.querySelector('dl')?.textContent).toContain('sam@example.com')
    expect(page.querySelector('dl')?.textContent).toContain('4: Mostly')
  })

  it('contains no element or address that a text names, and forbids all of them', () => {
    const page = parsed(conversationPage(file, inEnglish))
    expect(page.querySelectorAll('script, img, a, link, iframe, [onerror], [src], [href]')).toHaveLength(0)
    expect(page.querySelector('meta[http-equiv="Content-Security-Policy"]')?.getAttribute('content')).toMatch(
      /^default-src 'none'; /,
    )
    // Before the policy stands only the character set, within the first 1,024 bytes.
    expect([...page.head.children].slice(0, 2).map((element) => element.getAttributeNames()[0])).toEqual([
      'charset',
      'http-equiv',
    ])
  })

  it('links what the chat links, and nothing else', () => {
    const text = '“https://exam.example/a”, javascript:alert(1)'
    const page = parsed(
      conversationPage(
        { ...file, messages: [{ at: '2026-11-23T10:00:00.000Z', from: 'you', text }] },
        inEnglish,
      ),
    )
    expect(page.querySelector('li p')?.textContent).toBe(text)
    expect([...page.querySelectorAll('a')].map((link) => link.getAttribute('href'))).toEqual([
      'https://exam.example/a',
    ])
  })

  it('formats what admins wrote, and only links what the visitor wrote', () => {
    const text = '**Bring** _your_ `ID`\n- [a page](https://exam.example/a)\n2. <b>pen</b>'
    const at = '2026-11-23T10:00:00.000Z'
    const messages = [
      { at, from: 'you', text },
      { at, from: 'Ann', text },
    ]
    const [own, formatted] = parsed(conversationPage({ ...file, messages }, inEnglish)).querySelectorAll(
      'body > ol > li > [dir="auto"]:not(h2)',
    )
    expect(own?.textContent).toBe(text)
    expect(own?.querySelector('strong, em, code, li')).toBeNull()
    expect(formatted?.innerHTML).toBe(
      '<p><strong>Bring</strong> <em>your</em> <code>ID</code>\n</p>' +
        '<ul class="list"><li><a href="https://exam.example/a" rel="noopener noreferrer nofollow ugc">a page</a></li></ul>' +
        '<ol class="list" start="2"><li>&lt;b&gt;pen&lt;/b&gt;</li></ol>',
    )
  })

  it('is Chinese for a Chinese visitor', () => {
    const page = parsed(conversationPage(file, { tag: 'zh', locale: 'zh-CN', dir: 'ltr', words: zh }))
    expect(page.documentElement.lang).toBe('zh')
    expect(page.title).toBe('您与 ProctorPass 的对话')
    expect(page.querySelector('ol h2')?.textContent).toBe('您')
    expect(page.querySelector('time')?.textContent).toContain('2026年11月23日')
  })
})
