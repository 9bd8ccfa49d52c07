// @vitest-environment jsdom
import fc from 'fast-check'
import type Quill from 'quill'
import { afterEach, describe, expect, it } from 'vitest'
import { sanitizePostHtml } from '../../../../../api/src/content/post-html.ts'
import { GOOD_HTML, HOSTILE_HTML } from '../../../../../api/test/post-html-samples.ts'
import { FORMATS } from './formats.ts'
import { PostDocument } from './post-document.ts'
import { PostQuill } from './post-quill.ts'

const store = (html: string) => sanitizePostHtml(html, 'https://own.example')

function open(html: string): { quill: Quill; post: PostDocument } {
  const container = document.createElement('div')
  document.body.append(container)
  const quill = new PostQuill(container, { formats: FORMATS })
  return { quill, post: new PostDocument(quill, html) }
}

// jsdom lays nothing out.
Range.prototype.getBoundingClientRect = () => new DOMRect()
HTMLCanvasElement.prototype.getContext = () => null

afterEach(() => document.body.replaceChildren())

/** Inserts text before the line break of the first line and of the last one. */
function typeAtBothEnds(quill: Quill): void {
  quill.insertText(quill.getLength() - 1, '!', 'user')
  quill.insertText('first'.length, '!', 'user')
}

const text = fc.oneof(
  fc.constantFrom(
    'a',
    'two words',
    ' ',
    '\n',
    '  b  ',
    '\u00a0',
    '&lt;b&gt;',
    '&amp;nbsp;',
    '😀',
    'שלום',
    '"',
    '\t',
  ),
  fc.string({ maxLength: 8 }).map((any) => any.replace(/[<&]/g, '')),
)
const BLOCK_CLASS = [
  '',
  '',
  '',
  ' class="ql-align-center"',
  ' class="ql-indent-2"',
  ' class="ql-direction-rtl ql-align-right"',
]
const TEXT_CLASS = [
  '',
  '',
  ' class="ql-color-red"',
  ' class="ql-size-huge ql-font-serif"',
  ' class="ql-bg-yellow"',
]
const LEAVES = [
  '<br>',
  '<img src="/uploads/a.webp" alt="x &quot;y&quot;" width="600" height="400">',
  '<img src="/images/posts/desk.svg" data-decorative="true">',
  '<iframe src="https://player.vimeo.com/video/1234567?h=abc123#t=1m2s"></iframe>',
  '<iframe class="ql-align-right" src="https://www.youtube.com/embed/dQw4w9WgXcQ?start=30&amp;showinfo=0"></iframe>',
  '<span style="color: rgb(230, 0, 0)">red</span>',
  '<a href="https://other.example/?a=1&amp;b=2">l</a>',
]
const leaf = fc.oneof(text, text, fc.constantFrom(...LEAVES))
const element = (tags: string[], attributes: string[], inside: fc.Arbitrary<string[]>) =>
  fc
    .tuple(fc.constantFrom(...tags), fc.constantFrom(...attributes), inside)
    .map(([tag, own, parts]) => `<${tag}${own}>${parts.join('')}</${tag}>`)

const { inline, any } = fc.letrec<{ inline: string; any: string; rows: string }>((tie) => ({
  inline: fc.oneof(
    { depthSize: 'small', maxDepth: 3 },
    leaf,
    element(
      ['strong', 'b', 'em', 'i', 'u', 's', 'strike', 'del', 'sub', 'sup', 'span', 'code', 'a href="/faq"'],
      TEXT_CLASS,
      fc.array(tie('inline'), { maxLength: 3 }),
    ).map((html) => html.replaceAll('</a href="/faq">', '</a>')),
  ),
  rows: fc
    .array(
      element(
        ['td', 'th', 'td'],
        ['', ' colspan="2"', ' rowspan="2"', ' scope="col"', ' class="ql-align-right"'],
        fc.array(tie('inline'), { maxLength: 2 }),
      ),
      { minLength: 0, maxLength: 4 },
    )
    .map((cells) => `<tr>${cells.join('')}</tr>`),
  any: fc.oneof(
    { depthSize: 'small', maxDepth: 4 },
    tie('inline'),
    element(
      ['p', 'h1', 'h2', 'h6', 'blockquote', 'pre', 'div'],
      BLOCK_CLASS,
      fc.array(tie('inline'), { maxLength: 3 }),
    ),
    element(
      ['ul', 'ol'],
      [''],
      fc.array(
        element(
          ['li', 'li data-list="checked"', 'li class="ql-indent-1"'],
          [''],
          fc.array(tie('any'), { maxLength: 2 }),
        ).map((html) => html.replace(/<\/li [^>]*>$/, '</li>')),
        { maxLength: 3 },
      ),
    ),
    fc
      .tuple(fc.array(tie('rows'), { maxLength: 2 }), fc.array(tie('rows'), { maxLength: 3 }))
      .map(([head, body]) => `<table><thead>${head.join('')}</thead><tbody>${body.join('')}</tbody></table>`),
    element(
      [
        'p',
        'h3',
        'blockquote',
        'pre',
        'ol',
        'ul',
        'li',
        'div',
        'table',
        'tbody',
        'tr',
        'td',
        'th',
        'strong',
        'a',
        'iframe',
      ],
      BLOCK_CLASS,
      fc.array(tie('any'), { maxLength: 3 }),
    ),
    fc.constantFrom(
      '<div class="ql-code-block-container" spellcheck="false"><div class="ql-code-block">if (a)</div><div class="ql-code-block">  b</div></div>',
      '<div class="ql-code-block-container"><div class="ql-code-block" data-language="js">x</div></div>',
      '<pre>\n\n  code\n\n</pre>',
      '<pre class="ql-syntax" spellcheck="false">x\n</pre>',
      '<blockquote><p>a</p>\n<p>b</p></blockquote>',
      ...GOOD_HTML.map(([html]) => html),
      ...HOSTILE_HTML,
    ),
  ),
}))
const posts = fc
  .array(fc.oneof(any, inline), { minLength: 1, maxLength: 6 })
  .map((parts) => store(parts.join('')))

describe('a stored post in the editor', () => {
  it('is what was stored, to the byte, for every post that the server accepts', () => {
    fc.assert(
      fc.property(posts, (stored) => {
        fc.pre(stored.trim() !== '')
        const { quill, post } = open(stored)
        const shown = post.html()
        if (shown !== '') expect(shown).toBe(stored)
        // A change that is undone is none.
        quill.insertText(0, 'x', 'user')
        quill.history.undo()
        expect(post.html()).toBe(shown)
        quill.root.parentElement?.remove()
      }),
      { numRuns: 50 },
    )
  })

  it('changes only where it is edited', () => {
    fc.assert(
      fc.property(posts, (stored) => {
        const { quill, post } = open(store(`<p>first</p>${stored.trimStart()}<p>last</p>`))
        typeAtBothEnds(quill)
        expect(post.html()).toBe(store(`<p>first!</p>${stored.trimStart()}<p>last!</p>`))
        // The server stores it as it is.
        expect(store(post.html())).toBe(post.html())
        quill.root.parentElement?.remove()
      }),
      { numRuns: 50 },
    )
  })

  it('keeps its words when everything in it is formatted', () => {
    fc.assert(
      fc.property(posts, (stored) => {
        const { quill, post } = open(stored)
        const before = quill.getText()
        // Every line is changed, so that each is written anew.
        const lines = quill.getLines().filter(({ statics }) => !/kept|video/.test(statics.blotName))
        for (const line of lines) quill.insertText(quill.getIndex(line), '§', 'user')
        const again = open(store(post.html()))
        expect(again.quill.getText().replaceAll('§', '')).toBe(before)
        quill.root.parentElement?.remove()
        again.quill.root.parentElement?.remove()
      }),
      { numRuns: 50 },
    )
  })
})
