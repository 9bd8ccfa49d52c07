// @vitest-environment node
import { describe, expect, it } from 'vitest'
import { compileArticle, compilePage, compileQuestions, compileTexts } from './compile-texts.ts'

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
    expect(article('Words.')).toEqual({
      fields: {
        title: 'What to bring',
        description: 'A list of what lies on your desk on the day, and of what had better not.',
        h1: 'What to bring: a "list"',
        author: 'Ana',
        image: '/images/posts/desk.svg',
        imageAlt: 'Drawing of a desk.',
        summary: 'Two things.',
        content: '<p>Words.</p>',
      },
      ...{ published: '2026-10-01', updated: '2026-10-02' },
    })
    expect(article('Words.', FRONT.replace('author', 'onlyFor: cheat\nauthor')).onlyFor).toBe('cheat')
  })

  it('becomes the HTML of posts, without the IDs and frames that a page adds', () => {
    const { content } = article(
      '## Can\'t I *just* "try"?\n\n| Place | Good |\n| --- | --- |\n| **Shelf** | yes & no |\n',
    ).fields
    expect(content).toBe(
      [
        `<h2>Can't I <em>just</em> "try"?</h2>\n<table><thead><tr><th scope="col">Place</th><th scope="col">Good</th>`,
        '</tr></thead><tbody><tr><td><strong>Shelf</strong></td><td>yes &amp; no</td></tr></tbody></table>',
      ].join(''),
    )
  })

  it('marks links to other sites as posts do', () => {
    const { content } = article('[a](https://a.example/?x=1&y="2) and [b](/faq)').fields
    expect(content).toContain(
      '<a href="https://a.example/?x=1&amp;y=&quot;2" rel="noopener noreferrer nofollow ugc">a</a>',
    )
    expect(content).toContain('<a href="/faq">b</a>')
  })

  it.each([
    ['a <b>bold</b> word', 'HTML is not allowed'],
    ['<script>alert(1)</script>', 'HTML is not allowed'],
    ['# Another', 'one h1'],
    ['![x](x.png)', 'image is not allowed'],
    ['- [ ] open', 'check box'],
    ['***', 'line'],
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

const PAGE = `---
title: Questions about one thing
description: Answers about one thing that people want to know, which is how it works.
heading: Questions
lead: Short answers.
---
`

describe('a page', () => {
  it('is running text', () => {
    expect(compilePage(`${PAGE}## Part\n\n### How?\n\nSo.\n`)).toEqual({
      title: 'Questions about one thing',
      description: 'Answers about one thing that people want to know, which is how it works.',
      heading: 'Questions',
      lead: 'Short answers.',
      content: '<h2>Part</h2>\n<h3>How?</h3>\n<p>So.</p>',
    })
  })
})

describe('questions', () => {
  it('are grouped, each with an answer and a unique id', () => {
    const { fields, questions } = compileQuestions(
      `${PAGE}# Paying\n\n## How?\n\nIn *Bitcoin*.\n\n# More\n## How?\nSo.\n`,
    )
    expect(fields).toMatchObject({
      heading: 'Questions',
      groups: [
        { id: 'paying', title: 'Paying' },
        { id: 'more', title: 'More' },
      ],
    })
    expect(questions).toEqual([
      { _id: 'how', group: 'paying', question: 'How?', answer: '<p>In <em>Bitcoin</em>.</p>' },
      { _id: 'how-2', group: 'more', question: 'How?', answer: '<p>So.</p>' },
    ])
  })

  it.each([
    ['Text first.\n# A', 'in no group'],
    ['## Q\nA', 'in no group'],
    ['# A\nwords\n## Q\nA', 'between'],
    ['# A\n## Q\n\n## R\nA', 'no answer'],
  ])('are refused when the structure is wrong (%#)', (source, why) => {
    expect(() => compileQuestions(PAGE + source)).toThrow(why)
  })
})

it('compiles the shipped texts', () => {
  const { articles, questions } = compileTexts()
  expect(Object.keys(articles)).toHaveLength(5)
  for (const [slug, { fields }] of Object.entries(articles)) {
    expect(fields.content.match(/<h2>/g)?.length, slug).toBeGreaterThan(3)
    const words = fields.content.replace(/<[^>]*>/g, '').split(/\s+/)
    expect(words.length, slug).toBeGreaterThanOrEqual(900)
  }
  expect(questions.length).toBeGreaterThan(10)
})
