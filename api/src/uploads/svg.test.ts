import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { rewriteSvg } from './svg.ts'
import { rewriteSvgInThread } from './svg-thread.ts'

const XMLNS = 'xmlns="http://www.w3.org/2000/svg"'
const rewrite = (inside: string, root = `viewBox="0 0 8 4"`) =>
  rewriteSvg(Buffer.from(`<svg ${XMLNS} ${root}>${inside}</svg>`))
/** The rewritten content of the root element. */
const inside = (svg: string) => rewrite(svg).text.replace(/^<svg[^>]*>|<\/svg>$/g, '')

it('preserves a drawing, and turns styles into attributes', () => {
  expect(inside('<path style="fill: #0a0; stroke-width:2px !important;-x-y:1" d="M0 0h1"/>')).toBe(
    '<path d="M0 0h1" fill="#0a0" stroke-width="2px"/>',
  )
  expect(inside('<text x="1">5 &lt; 6 <tspan>&amp;</tspan></text>')).toBe(
    '<text x="1">5 &lt; 6 <tspan>&amp;</tspan></text>',
  )
})

it('removes comments and private data of drawing programs', () => {
  expect(
    inside(
      '<!-- made by hand --><metadata><x/></metadata><i:view xmlns:i="urn:ink"><script/></i:view><g i:label="a" xmlns:i="urn:ink"/>',
    ),
  ).toBe('<g/>')
})

it('writes references to its own elements as href', () => {
  expect(inside('<g id="a"/><use xmlns:xlink="http://www.w3.org/1999/xlink" xlink:href="#a"/>')).toBe(
    '<g id="a"/><use href="#a"/>',
  )
})

it('takes its size from width and height, else from the viewBox', () => {
  expect(rewrite('', 'width="210mm" height="3in" viewBox="0 0 2 1"')).toMatchObject({
    width: 794,
    height: 288,
  })
  expect(rewrite('', 'width="62pt" height="116pt"').text).toContain('width="83" height="155"')
  expect(rewrite('', 'width="40" viewBox="0 0 2 1"')).toMatchObject({ width: 40, height: 20 })
  expect(rewrite('', 'viewBox="0 0 21000 29700"')).toMatchObject({ width: 7_071, height: 10_000 })
  expect(rewrite('', 'width="20px" height="10" viewBox="0 0 2 1"')).toMatchObject({ width: 20, height: 10 })
  expect(rewrite('', 'width="100%" height="100%" viewBox="0 0 30.4 15.2"')).toMatchObject({
    text: `<svg ${XMLNS} viewBox="0 0 30.4 15.2" width="30" height="15"/>`,
    width: 30,
    height: 15,
  })
  expect(rewrite('', 'width="3" height="2"').text).toContain('viewBox="0 0 3 2"')
})

it('is idempotent', () => {
  const once = rewrite('<g id="a&quot;&lt;"><title>a &amp; b\n]]&gt;</title></g>').text
  expect(rewriteSvg(Buffer.from(once)).text).toBe(once)
})

it.each([
  '<script/>',
  '<a href="javascript:alert(1)"/>',
  '<a href="java&#9;script:alert(1)"/>',
  '<image href="data:image/png;base64,AA=="/>',
  '<image href="data:image/svg+xml;base64,PHN2Zy8+"/>',
  '<image href="http://evil.example/a.png"/>',
  '<feImage href="a.png"/>',
  '<foreignObject><div xmlns="http://www.w3.org/1999/xhtml">text</div></foreignObject>',
  '<foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml"/></foreignObject>',
  '<switch><foreignObject><p xmlns="http://www.w3.org/1999/xhtml">text</p></foreignObject></switch>',
  '<style>rect{fill:url(http://evil.example/#a)}</style><rect/>',
  '<style>rect{fill:u\\72l(//evil.example)}</style><rect/>',
  '<style>rect{--a:url(//evil.example);fill:var(--a)}</style><rect/>',
  '<rect filter="url(data:image/svg+xml,x#y)"/>',
  '<g style="filter:blur(2px)"/>'.repeat(400),
  '<filter id="f"><feGaussianBlur stdDeviation="5000"/></filter><g filter="url(#f)"/>',
  `<filter id="f">${'<feTurbulence numOctaves="9"/>'.repeat(40)}</filter><g filter="url(#f)"/>`,
  '<g onclick="a()"/>',
  '<g ONCLICK="a()"/>',
  '<rect fill="url(http://evil.example/#a)"/>',
  '<rect fill="url(#a) url(//evil.example)"/>',
  '<rect style="fill:u\\72l(//evil.example)"/>',
  '<rect style="fill:url(&quot;//evil.example&quot;)"/>',
  '<use href="other.svg#a"/>',
  '<animate attributeName="href"/>',
  '<set attributeName="x"/>',
  '<g',
  '<g></p>',
  '&nbsp;',
  '<g id="a"><use href="#a"/></g>',
  '<pattern id="a" href="#b"/><pattern id="b" href="#a"/>',
  `${'<g/>'.repeat(20_001)}`,
])('refuses %.60s', (hostile) => {
  expect(() => rewrite(hostile)).toThrow(expect.objectContaining({ code: 'invalid-input' }))
})

it('refuses a missing or absurd size', () => {
  for (const root of [
    '',
    'viewBox="0 0 0 4"',
    'viewBox="0 0 a b"',
    'width="1e9" height="5"',
    'viewBox="0 0 1e999 1"',
  ]) {
    expect(() => rewrite('', root)).toThrow(/size|too large/)
  }
})

const cleanedOf = (svg: string) => rewrite(svg).cleaned

describe('styles', () => {
  it.each([
    [
      'classes',
      '<style>.a{fill:#73689a}.b{fill:none;stroke-width:4px}</style><g class="b"/>',
      'fill="none" stroke-width="4px"',
    ],
    [
      'specificity',
      '<style>#i{fill:red}g.a{fill:blue}g{fill:#000}</style><g id="i" class="a"/>',
      'id="i" fill="red"',
    ],
    ['order', '<style>.a{fill:red}.a{fill:blue}</style><g class="a"/>', 'fill="blue"'],
    ['the attribute of the element', '<style>g{fill:red}</style><g style="fill:blue"/>', 'fill="blue"'],
    ['importance', '<style>g{fill:red!important}</style><g style="fill:blue"/>', 'fill="red"'],
    ['rules above attributes', '<style>g{fill:red}</style><g fill="blue"/>', 'fill="red"'],
    [
      'variables',
      '<style>svg{--a:1px;--b:var(--a)}g{stroke-width:var(--b);fill:var(--c, red)}</style><g/>',
      'stroke-width="1px" fill="red"',
    ],
    [
      'the light one of two colors',
      '<g style="fill:light-dark(rgb(1, 2, 3), var(--d))"/>',
      'fill="rgb(1,2,3)"',
    ],
    ['CDATA and comments', '<style><![CDATA[ /* a */ g { fill : /* b */ red } ]]></style><g/>', 'fill="red"'],
    ['screens', '<style>@media screen{g{fill:red}}@media print{g{fill:blue}}</style><g/>', 'fill="red"'],
    [
      'light screens',
      '<style media="screen">g{fill:red}@media (prefers-color-scheme: dark){g{fill:#000}}</style><g/>',
      'fill="red"',
    ],
    [
      'the shorthand of fonts',
      '<g style="font:italic bold 12px/1.5 Arial, serif"/>',
      'font-style="italic" font-variant="normal" font-weight="bold" font-size="12px" font-family="Arial, serif"',
    ],
    [
      'effects that are no attributes',
      '<g style="mix-blend-mode:multiply;isolation:isolate"/>',
      'style="mix-blend-mode:multiply;isolation:isolate"',
    ],
    [
      'nothing of a pointer',
      '<style>g:hover{fill:red}g::before{fill:red}</style><g fill="blue"/>',
      'fill="blue"',
    ],
  ])('keep %s', (_title, svg, attributes) => {
    expect(inside(svg)).toBe(`<g ${attributes}/>`)
  })

  it.each([
    ['svg rect', 'abc'],
    ['g > rect', 'ab'],
    ['rect + rect', 'bc'],
    ['g ~ rect', 'c'],
    ['rect:first-child', 'a'],
    ['rect:nth-child(2n)', 'bc'],
    ['rect:not(.x)', 'bc'],
    [':is(.x, #c)', 'ac'],
    ['[data-n="2"]', 'b'],
    ['#root rect.x', 'a'],
    ['rect rect', ''],
  ])('%s selects %j', (selector, expected) => {
    const drawing = '<g id="root"><rect id="a" class="x y"/><rect id="b" data-n="2"/></g><rect id="c"/>'
    const { text } = rewrite(`${drawing}<style>${selector}{fill:red}</style>`)
    const found = [...text.matchAll(/id="(\w)" fill="red"/g)].map(([, id]) => id)
    expect(found.join('')).toBe(selector === 'rect + rect' ? 'b' : expected)
  })
})

describe('what programs add', () => {
  it.each([
    [
      'a DOCTYPE',
      `<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/svg11.dtd"><svg ${XMLNS} viewBox="0 0 8 4"/>`,
    ],
    [
      'names of namespaces',
      '<!DOCTYPE svg [ <!ENTITY ns_svg "http://www.w3.org/2000/svg"> ]><svg xmlns="&ns_svg;" viewBox="0 0 8 4"/>',
    ],
    ['no namespace', '<svg viewBox="0 0 8 4"/>'],
    ['a prefix', '<s:svg xmlns:s="http://www.w3.org/2000/svg" viewBox="0 0 8 4"/>'],
    ['a style sheet of another file', `<?xml-stylesheet href="a.css"?><svg ${XMLNS} viewBox="0 0 8 4"/>`],
  ])('is read: %s', (_title, svg) => {
    expect(rewriteSvg(Buffer.from(svg)).text).toBe(`<svg ${XMLNS} viewBox="0 0 8 4" width="8" height="4"/>`)
  })

  it.each([
    ['an entity', '<!DOCTYPE svg [<!ENTITY a "b">]>', ''],
    ['an entity of another file', '<!DOCTYPE svg [<!ENTITY a SYSTEM "http://a.example/">]>', ''],
    ['an entity that is used', '<!DOCTYPE svg [<!ENTITY a "http://a.example/">]>', '<text>&a;</text>'],
    ['a nested one', '<!DOCTYPE svg [<!ENTITY a "http://a.example/"><!ENTITY b "&a;&a;">]>', ''],
  ])('is refused: %s', (_title, doctype, content) => {
    const svg = `${doctype}<svg ${XMLNS} viewBox="0 0 8 4">${content}</svg>`
    expect(() => rewriteSvg(Buffer.from(svg))).toThrow(expect.objectContaining({ code: 'invalid-input' }))
  })

  it('goes, and is named where it was more than a note', () => {
    expect(cleanedOf('<g data-a="1" aria-roledescription="x" pointer-events="none" class="a"/>')).toEqual([])
    expect(
      cleanedOf(
        '<metadata/><a href="https://a.example/"><text><a>t</a></text></a><style>@font-face{src:url(http://a.example/)}' +
          '@import "a.css";@keyframes a{from{x:1}}</style><mesh/><g p-id="1"/>',
      ),
    ).toEqual([
      'data of a drawing program',
      'links',
      '<mesh>',
      'fonts',
      'a style sheet of another file',
      'animations',
      'the attribute p-id',
    ])
  })

  it('leaves the plain text beside HTML, and empty HTML away', () => {
    const html = '<foreignObject><div xmlns="http://www.w3.org/1999/xhtml">Hi</div></foreignObject>'
    expect(inside(`<switch>${html}<text>Hi</text></switch>`)).toBe('<switch><text>Hi</text></switch>')
    expect(inside(html.replace('Hi', ' ').concat('<g/>'))).toBe('<g/>')
  })

  it('has ids of any script, and ids that are none get a name', () => {
    expect(
      inside('<g id="größe 1"/><g id="文字"/><use href="#%E6%96%87%E5%AD%97" fill="url(#größe\\ 1)"/>'),
    ).toBe('<g id="id-1"/><g id="文字"/><use href="#文字" fill="url(#id-1)"/>')
  })

  it.each(['latin1', 'utf16le'] as const)('may be in %s', (encoding) => {
    const declared = encoding === 'latin1' ? 'ISO-8859-1' : 'UTF-16'
    const svg = `<?xml version="1.0" encoding="${declared}"?><svg ${XMLNS} viewBox="0 0 8 4"><text>é</text></svg>`
    expect(rewriteSvg(Buffer.from(svg, encoding)).text).toContain('<text>é</text>')
  })
})

it('ends when brackets close nothing, also behind other styles', async () => {
  const styles = ['('.repeat(60), 'gurl(#a))}(gurl(#a)url(#a)', 'fill:red']
  const shapes = styles.map((style) => `<g style="${style}"/>`).join('')
  // In a thread, which ends where the test would not.
  const svg = `<svg ${XMLNS} viewBox="0 0 8 4">${shapes}</svg>`
  expect((await rewriteSvgInThread(Buffer.from(svg))).text).toContain('><g/><g/><g fill="red"/></svg>')
  // As in browsers, which take no rule behind such a bracket for one.
  const sheet = '<style>.a{fill:red}}.b{fill:lime}.c{fill:blue}</style>'
  expect(inside(`${sheet}<g class="a"/><g class="b"/><g class="c"/>`)).toBe(
    '<g fill="red"/><g/><g fill="blue"/>',
  )
})

it('keeps nothing but the place of an embedded image', () => {
  const image = `data:image/png;base64,iVBORw0KGgoA\n${'A'.repeat(40)}`
  const { text, images } = rewrite(`<image href="${image}"/><image href="${image}" width="2"/>`)
  expect(text).toContain('<image href="\0' + '0\0"/>')
  expect(images).toHaveLength(1)
})

it('writes only what it could read again', () => {
  const names = [
    'g',
    'rect',
    'style',
    'a',
    'text',
    'use',
    'switch',
    'filter',
    'feBlend',
    'image',
    'script',
    'x:y',
  ]
  const values = [
    'url(#a)',
    'red',
    '\\72',
    'var(--a)',
    '"',
    '/*',
    '}',
    '{',
    ';',
    ':',
    '(',
    ')',
    'javascript:',
    '@import',
    '#a',
    '1',
  ]
  const text = fc
    .array(fc.constantFrom(...values, ' ', ',', '!important', 'g', '.a', '--a'))
    .map((parts) => parts.join(''))
  const attribute = fc.tuple(
    fc.constantFrom('fill', 'style', 'class', 'id', 'href', 'filter', 'onload', 'data-a', 'x', 'font-family'),
    text,
  )
  const { elements } = fc.letrec<{ elements: string[]; element: string }>((tie) => ({
    elements: fc.array(fc.oneof({ maxDepth: 3 }, text.map(escaped), tie('element')), { maxLength: 4 }),
    element: fc
      .tuple(
        fc.constantFrom(...names),
        fc.uniqueArray(attribute, { selector: ([name]) => name, maxLength: 4 }),
        tie('elements'),
      )
      .map(([name, attributes, children]) => {
        const list = attributes.map(([each, value]) => ` ${each}="${escaped(value)}"`).join('')
        return `<${name}${list}>${children.join('')}</${name}>`
      }),
  }))
  fc.assert(
    fc.property(elements, (parts) => {
      const once = tried(parts.join(''))
      if (once === null) return
      const tags = once.match(/<[^>]*>/g)?.join('')
      expect(tags).not.toMatch(/<(?:script|style|a|foreignObject)\b| on\w+=|url\((?!#)|href="(?!#|\0)/i)
      expect(rewriteSvg(Buffer.from(once.replaceAll(/\0\d+\0/g, '#a'))).text).toBe(once)
    }),
    { numRuns: 300 },
  )
})

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

/** The rewritten file; null when it is refused. */
function tried(content: string): string | null {
  try {
    return rewrite(content).text
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid-input' })
    return null
  }
}
