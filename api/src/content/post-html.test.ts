import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import { describe, expect, it } from 'vitest'
import { GOOD_HTML, HOSTILE_HTML } from '../../test/post-html-samples.ts'
import * as postHtml from './post-html.ts'

const { isEmptyPost } = postHtml
const sanitizePostHtml = (html: string) => postHtml.sanitizePostHtml(html, 'https://own.example')

type Element = DefaultTreeAdapterTypes.Element

/** Every element as a browser parses it. */
function elementsOf(html: string): Element[] {
  const below = (node: DefaultTreeAdapterTypes.Node): Element[] => [
    ...('attrs' in node ? [node] : []),
    ...('childNodes' in node ? node.childNodes.flatMap(below) : []),
  ]
  return below(parseFragment(html))
}

const ELEMENTS =
  /^(p|h[1-6]|blockquote|pre|code|div|[ou]l|li|strong|[bius]|em|su[bp]|span|br|a|img|iframe|t(able|body|head|r|d|h))$/
const ATTRIBUTES =
  /^(href|rel|src|alt|data-decorative|width|height|loading|decoding|class|title|sandbox|allow|referrerpolicy|data-list|data-language|spellcheck|style|scope|colspan|rowspan)$/

function expectInert(html: string): void {
  for (const element of elementsOf(html)) {
    expect(element.tagName).toMatch(ELEMENTS)
    for (const { name, value } of element.attrs) {
      expect(name).toMatch(ATTRIBUTES)
      if (name === 'href') expect(value).toMatch(/^(https?:\/\/|mailto:|tel:|\/(?!\/)|#)/)
      if (name === 'class') expect(value).toMatch(/^(ql-[a-z0-9-]+ ?)+$/)
      if (name === 'style') expect(value).toMatch(/^((background-)?color:[\w#(), .%/]+;?)+$/)
    }
    const attribute = (name: string) => element.attrs.find((each) => each.name === name)?.value
    const src = attribute('src') ?? ''
    if (element.tagName === 'img') expect(src).toMatch(/^\/(uploads|images)\/[\w./-]+$/)
    if (element.tagName === 'iframe') {
      expect(src).toMatch(/^https:\/\/(www\.youtube(-nocookie)?\.com\/embed|player\.vimeo\.com\/video)\/\w+/)
      expect(attribute('sandbox')).toBe('allow-scripts allow-same-origin allow-presentation')
      expect(attribute('allow')).toBe('fullscreen')
      expect(element.childNodes).toEqual([])
    }
    if (element.tagName === 'a') {
      const isOwn = /^[/#]|^https:\/\/own\.example(\/|$)/.test(attribute('href') ?? '')
      expect(attribute('rel')).toBe(isOwn ? undefined : 'noopener noreferrer nofollow ugc')
    }
  }
}

describe('HTML of the editor', () => {
  it.each(GOOD_HTML)('is preserved: %s', (html, parts) => {
    const clean = sanitizePostHtml(html)
    for (const part of parts) expect(clean).toContain(part)
    expectInert(clean)
    expect(sanitizePostHtml(clean)).toBe(clean)
  })

  it('keeps its format classes, without the UI elements of the editor', () => {
    const html =
      '<ol><li data-list="bullet" class="ql-indent-1"><span class="ql-ui"></span><span class="ql-size-huge ql-color-red ql-bg-yellow ql-font-serif">a</span></li></ol>'
    expect(sanitizePostHtml(html)).toBe(html.replace('<span class="ql-ui"></span>', ''))
  })
})

describe('a link', () => {
  it.each([
    'https://other.example/',
    'HTTPS://own.example.evil.example',
    'http://own.example/',
    'mailto:a@b.c',
    'tel:+34123',
  ])('to %s gets rel=nofollow', (href) => {
    expect(sanitizePostHtml(`<a href="${href}" rel="opener">x</a>`)).toBe(
      `<a href="${href}" rel="noopener noreferrer nofollow ugc">x</a>`,
    )
  })

  it.each(['/faq', '#top', 'https://own.example/blog/a?b=c'])(
    'to %s stays plain, as one of the own site',
    (href) => {
      expect(sanitizePostHtml(`<a href="${href}" rel="nofollow">x</a>`)).toBe(`<a href="${href}">x</a>`)
    },
  )

  it.each(['tel:', 'tel:+', 'tel:1;ext=2', 'tel:abc', 'tel:*21#', `tel:${'1'.repeat(26)}`, 'tel:1 2'])(
    'cannot be %s',
    (href) => {
      expect(sanitizePostHtml(`<a href="${href}">x</a>`)).toBe('<span>x</span>')
    },
  )
})

describe('an image', () => {
  const image = (attributes: string) => sanitizePostHtml(`<img src="/uploads/a.webp" ${attributes}>`)
  const altOf = (html: string) => elementsOf(html)[0]?.attrs.find(({ name }) => name === 'alt')?.value

  it.each([
    ['A “desk” & a lamp', 'A “desk” & a lamp'],
    [' A desk\n\tand a lamp ', 'A desk and a lamp'],
    ['A \u202etxt\u2066 \u0007desk', 'A txt desk'],
    ['😀'.repeat(301), '😀'.repeat(300)],
    [`${'x'.repeat(299)} y`, 'x'.repeat(299)],
    ['"><script>alert(1)</script>', '"><script>alert(1)</script>'],
  ])('keeps its description on one line: %j', (described, kept) => {
    const clean = image(`alt="${described.replaceAll('"', '&quot;')}"`)
    expect(altOf(clean)).toBe(kept)
    expect(elementsOf(clean)).toHaveLength(1)
    expect(sanitizePostHtml(clean)).toBe(clean)
  })

  it('is decorative only when that is said, and nothing describes it', () => {
    const mark = 'data-decorative="true"'
    for (const attributes of [mark, `alt="" ${mark}`, `alt=" " data-decorative="x"`]) {
      expect(image(attributes)).toContain(`alt="" ${mark}`)
    }
    for (const attributes of ['', 'alt=""', `alt="A desk" ${mark}`])
      expect(image(attributes)).not.toContain(mark)
  })
})

describe('hostile HTML', () => {
  it.each(HOSTILE_HTML)('is inert: %s', (html) => {
    const clean = sanitizePostHtml(html)
    expectInert(clean)
    expect(sanitizePostHtml(clean)).toBe(clean)
  })

  it('is inert inside other elements', () => {
    for (const wrap of [
      '<table><tr><td>',
      '<svg><desc>',
      '<a href="',
      '<p title="',
      '<!--',
      '<ol><li>',
      '<pre>',
    ]) {
      for (const html of HOSTILE_HTML) expectInert(sanitizePostHtml(wrap + html))
    }
  })

  it.each(['<b>', '<ol><li>', '<svg>', '<span style="color:red">x</span>'])(
    'is refused when it repeats %s too often',
    (part) => {
      expect(() => sanitizePostHtml(part.repeat(20_000))).toThrow(
        expect.objectContaining({ code: 'too-large' }),
      )
    },
  )
})

describe('a table', () => {
  it('keeps its head, its headers with their scopes, spans and alignments', () => {
    const html =
      '<table><thead><tr><th class="ql-align-right" scope="col" colspan="2">a</th></tr></thead>' +
      '<tbody><tr><th scope="rowgroup" rowspan="2">b</th><td class="ql-direction-rtl">c</td></tr></tbody></table>'
    expect(sanitizePostHtml(html)).toBe(html)
  })

  it.each([
    ['<th scope="COL">', '<th scope="col">'],
    ['<th scope="x" colspan="0" rowspan="100">', '<th>'],
    ['<td scope="col" class="ql-indent-1 fixed" style="color:red" onclick="alert(1)">', '<td>'],
  ])('has no other attributes: %s', (start, kept) => {
    const end = start.slice(1, 3)
    expect(sanitizePostHtml(`<table><tbody><tr>${start}a</${end}></tr></tbody></table>`)).toBe(
      `<table><tbody><tr>${kept}a</${end}></tr></tbody></table>`,
    )
  })
})

describe('a video', () => {
  const srcOf = (src: string) =>
    elementsOf(sanitizePostHtml(`<iframe src="${src}"></iframe>`))[0]?.attrs.find(
      ({ name }) => name === 'src',
    )?.value

  it.each([
    [
      'https://player.vimeo.com/video/123456?h=abc123&amp;x=1#t=1m30s',
      'https://player.vimeo.com/video/123456?h=abc123#t=1m30s',
    ],
    ['https://player.vimeo.com/video/123456#t=90', 'https://player.vimeo.com/video/123456#t=90'],
    ['https://player.vimeo.com/video/123456#x=javascript:alert(1)', 'https://player.vimeo.com/video/123456'],
    [
      'https://www.youtube-nocookie.com/embed/abcdefgh?start=90',
      'https://www.youtube-nocookie.com/embed/abcdefgh?start=90',
    ],
  ])('keeps its key and where it starts: %s', (src, kept) => {
    expect(srcOf(src)).toBe(kept)
  })
})

it('has line feeds for the line breaks of forms', () => {
  const clean = sanitizePostHtml('<pre>a\r\nb&#13;\nc&#13;</pre>\r<p>d</p>')
  expect(clean).toBe('<pre>a\nb\nc\n</pre>\n<p>d</p>')
  expect(sanitizePostHtml(clean)).toBe(clean)
})

it('is empty without text, image and video', () => {
  for (const html of [
    '',
    '<p><br></p>',
    '<p> \u00a0\u200b</p><h1></h1>',
    '<ol><li><br></li></ol>',
    '<p>&#x3164;</p>',
  ]) {
    expect(isEmptyPost(sanitizePostHtml(html))).toBe(true)
  }
  for (const html of [
    '<p>a</p>',
    '<p><img src="/uploads/a.png"></p>',
    '<iframe src="https://player.vimeo.com/video/1">',
  ]) {
    expect(isEmptyPost(sanitizePostHtml(html))).toBe(false)
  }
})
