// @vitest-environment node
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileArticle, compileQuestions } from './markdown.ts'

const CONTENT = join(import.meta.dirname, '../src/content')

const FRONT = `---
title: What to bring
description: A list of what lies on your desk on the day, and of what had better not.
h1: "What to bring: a \\"list\\""
published: 2026-10-01
updated: 2026-10-02
author: Ana
image: desk
imageAlt: Drawing of a desk.
summary: Two things.
---
`

const article = (body: string, front = FRONT) => compileArticle(front + body)

describe('an article', () => {
  it('exposes its front matter', () => {
    expect(article('Words.').meta).toMatchObject({
      title: 'What to bring',
      h1: 'What to bring: a "list"',
      updated: '2026-10-02',
    })
  })

  it('lists its second-level headings with unique ids', () => {
    const { headings, html } = article("## Can't I *just* try?\n\n### Detail\n\n## Can't I just try?\n")
    expect(headings).toEqual([
      { id: 'cant-i-just-try', text: "Can't I just try?" },
      { id: 'cant-i-just-try-2', text: "Can't I just try?" },
    ])
    expect(html).toContain('<h2 id="cant-i-just-try">Can&#39;t I <em>just</em> try?</h2>')
    expect(html).toContain('<h3 id="detail">Detail</h3>')
  })

  it('renders scrollable tables with column headers', () => {
    const { html } = article('| Place | Good |\n| --- | --- |\n| **Shelf** | yes & no |\n')
    expect(html).toContain('<th scope="col">Place</th>')
    expect(html).toContain('<td><strong>Shelf</strong></td><td>yes &amp; no</td>')
    expect(html).toMatch(/^<div class="table" role="region" aria-label="Table: Place, Good" tabindex="0">/)
  })

  it('marks links to other sites', () => {
    const { html } = article('[a](https://a.example/?x=1&y="2) and [b](/faq)')
    expect(html).toContain(
      '<a href="https://a.example/?x=1&amp;y=&quot;2" rel="external noopener noreferrer">a</a>',
    )
    expect(html).toContain('<a href="/faq">b</a>')
  })

  it.each([
    ['a <b>bold</b> word', 'HTML is not allowed'],
    ['<script>alert(1)</script>', 'HTML is not allowed'],
    ['# Another', 'one h1'],
    ['![x](x.png)', 'image is not allowed'],
    ['- [ ] open', 'check box'],
    ['[x](javascript:alert(1))', 'cannot lead'],
    ['[x](//evil.example)', 'cannot lead'],
    ['[x](http://plain.example)', 'cannot lead'],
  ])('cannot contain %s', (body, why) => {
    expect(() => article(body)).toThrow(why)
  })

  it.each([
    [FRONT.replace('image: desk\n', ''), 'lacks image'],
    [FRONT.replace('author: Ana', 'autor: Ana'), 'autor'],
    [FRONT.replace('What to bring', 'x'.repeat(66)), 'longer than 65'],
    [FRONT.replace(/description: .*/, 'description: Short.'), '6 characters'],
    [FRONT.replace('2026-10-02', '2026-13-02'), 'is not a day'],
    [FRONT.replace('2026-10-02', '2026-09-30'), 'before it was published'],
    ['', 'front matter'],
  ])('is refused when its front matter is wrong (%#)', (front, why) => {
    expect(() => article('Words.', front)).toThrow(why)
  })
})

describe('questions', () => {
  it('are grouped, each with an answer and a unique id', () => {
    const groups = compileQuestions('# Paying\n\n## How?\n\nIn *Bitcoin*.\n\n# More\n## How?\nSo.\n')
    expect(groups).toEqual([
      {
        title: 'Paying',
        id: 'paying',
        questions: [{ question: 'How?', id: 'how', html: '<p>In <em>Bitcoin</em>.</p>' }],
      },
      { title: 'More', id: 'more', questions: [{ question: 'How?', id: 'how-2', html: '<p>So.</p>' }] },
    ])
  })

  it.each([
    ['Text first.\n# A', 'in no group'],
    ['## Q\nA', 'in no group'],
    ['# A\nwords\n## Q\nA', 'between'],
    ['# A\n## Q\n\n## R\nA', 'no answer'],
  ])('are refused when the structure is wrong (%#)', (source, why) => {
    expect(() => compileQuestions(source)).toThrow(why)
  })
})

describe('the content of the site', () => {
  it.each(readdirSync(join(CONTENT, 'articles')))('compiles: %s', (name) => {
    const { headings, html } = compileArticle(readFileSync(join(CONTENT, 'articles', name), 'utf8'))
    expect(headings.length).toBeGreaterThan(3)
    expect(html.replace(/<[^>]*>/g, '').split(/\s+/).length).toBeGreaterThanOrEqual(900)
  })

  it('compiles: the questions', () => {
    const groups = compileQuestions(readFileSync(join(CONTENT, 'faq.md'), 'utf8'))
    expect(groups.flatMap(({ questions }) => questions).length).toBeGreaterThan(10)
  })
})
