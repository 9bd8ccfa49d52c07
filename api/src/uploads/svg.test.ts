import { expect, it } from 'vitest'
import { rewriteSvg } from './svg.ts'

const XMLNS = 'xmlns="http://www.w3.org/2000/svg"'
const rewrite = (inside: string, root = `viewBox="0 0 8 4"`) =>
  rewriteSvg(Buffer.from(`<svg ${XMLNS} ${root}>${inside}</svg>`))
/** The rewritten content of the root element. */
const inside = (svg: string) => rewrite(svg).text.replace(/^<svg[^>]*>|<\/svg>$/g, '')

it('preserves a drawing, and turns styles into attributes', () => {
  expect(inside('<path style="fill: #0a0; stroke-width:2px !important;-x-y:1" d="M0 0h1"/>')).toBe(
    '<path fill="#0a0" stroke-width="2px" d="M0 0h1"/>',
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
  expect(rewrite('', 'width="20px" height="10" viewBox="0 0 2 1"')).toMatchObject({ width: 20, height: 10 })
  expect(rewrite('', 'width="100%" height="100%" viewBox="0 0 30.4 15.2"')).toEqual({
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
  '<style>a{}</style>',
  '<a href="#x"/>',
  '<image href="data:image/png;base64,AA=="/>',
  '<g onclick="a()"/>',
  '<g ONCLICK="a()"/>',
  '<rect fill="url(http://evil.example/#a)"/>',
  '<rect fill="url(#a) url(//evil.example)"/>',
  '<rect style="fill:u\\72l(//evil.example)"/>',
  '<rect style="fill:url(&quot;//evil.example&quot;)"/>',
  '<use href="other.svg#a"/>',
  '<animate attributeName="href"/>',
  '<svg/>',
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
    'width="99999" height="1"',
  ]) {
    expect(() => rewrite('', root)).toThrow(/size|too large/)
  }
})
