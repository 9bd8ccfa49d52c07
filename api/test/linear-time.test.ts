import { lineProblem, textProblem } from '@proctorpass/shared/fields/text'
import * as limits from '@proctorpass/shared/limits'
import { expectLinear, repeated } from '@proctorpass/shared/testing/expect-linear'
import { describe, it } from 'vitest'
import { pdfProblem } from '../src/chat/pdf.ts'
import { isEmptyPost, sanitizePostHtml } from '../src/content/post-html.ts'
import { withoutValues } from '../src/http/without-values.ts'
import { networkOf } from '../src/limits/networks.ts'
import { rewriteSvg } from '../src/uploads/svg.ts'
import { uploadUrlsIn } from '../src/uploads/uploads.ts'

const words = repeated('plain words ')

describe('the HTML of a post', () => {
  const paragraphs = repeated('<p>plain <b>words</b></p>')
  const inside = (start: string, part: string, end = '">x') => repeated(part, start, end)
  it.each([
    ['a color of spaces', inside('<span style="color:rgb(1', ' ', 'x)">x')],
    ['a color of spaced numbers', inside('<span style="color:rgb(1', ' 1', 'x)">x')],
    ['a color of digits', inside('<span style="color:rgb(', '1', 'x)">x')],
    ['a color of letters', inside('<span style="color:', 'a')],
    ['many styles', inside('<span style="', 'color:red;')],
    ['an endless comment in a style', inside('<span style="', '/*')],
    ['brackets in a style', inside('<span style="color:', '(')],
    ['slashes in a style', inside('<span style="', '\\')],
    ['many classes', inside('<p class="', 'ql-align-center ')],
    ['a class of hyphens', inside('<p class="ql-', '-')],
    ['spaces in a class', inside('<p class="', ' ')],
    ['comments in a link', inside('<a href="https://', '<!---->')],
    ['open comments in a link', inside('<a href="https://', '<!--')],
    ['spaces in a link', inside('<a href="', ' ')],
    ['an endless link', inside('<a href="https://x/', '%')],
    ['an address of dots', inside('<a href="mailto:', '.')],
    ['an image of dots', inside('<img src="/images/', 'a.')],
    ['an image of slashes', inside('<img src="/images', '/a')],
    ['an image of hyphens', inside('<img src="/images/', '-')],
    ['a wide image', inside('<img src="/images/a" width="', '1')],
    ['a video of parameters', inside('<iframe src="https://www.youtube.com/embed/a?', 'start=1&')],
    ['a video of slashes', inside('<iframe src="https://www.youtube.com/embed', '/a')],
    ['a language of letters', inside('<div data-language="', 'a')],
    ['many attributes', repeated('a=1 ', '<p ')],
    [
      'different attributes',
      (length: number) => `<p ${Array.from({ length: length / 8 }, (_, i) => `a${i}=1`).join(' ')}>`,
    ],
    ['open tags', repeated('<')],
    ['open ends', repeated('</')],
    ['open comments', repeated('<!--')],
    ['open instructions', repeated('<?')],
    ['open CDATA', repeated('<![CDATA[')],
    ['ends of CDATA', repeated(']]>')],
    ['open attributes', repeated('<a href="')],
    ['open entities', repeated('&')],
    ['numeric entities', repeated('&#x')],
    ['spaces', repeated(' ')],
    ['line breaks', repeated('\n')],
    ['ends without start', repeated('</p>')],
    ['elements that end each other', repeated('<p>')],
    ['invisible characters', repeated('\u200b')],
  ])('takes no longer with %s', (_title, hostile) => {
    expectLinear((text) => isEmptyPost(sanitizePostHtml(text, 'https://own.example')), paragraphs, hostile)
  })
})

describe('an SVG', () => {
  const svg = (inside: string, root = 'viewBox="0 0 8 4"') =>
    rewriteSvg(Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" ${root}>${inside}</svg>`))
  const within = (start: string, part: string, end = '"/>') => repeated(part, start, end)
  const benign = (length: number) => `<path d="${'M0 0h1'.repeat(length / 6)}"/>`
  it.each([
    ['a style of spaces', within('<g style="fill:', ' ')],
    ['a style of almost important spaces', within('<g style="fill:', ' ', '!important x"/>')],
    ['many importants', within('<g style="fill:', ' !important')],
    ['spaces after important', within('<g style="fill:!important', ' ', 'x"/>')],
    ['many styles', within('<g style="', 'fill:red;')],
    ['semicolons', within('<g style="', ';')],
    ['colons', within('<g style="', ':')],
    ['open references', within('<g fill="', 'url(')],
    ['references of spaces', within('<g fill="url(', ' ')],
    ['open references of spaces', within('<g fill="', 'url(  ')],
    ['an endless reference', within('<g fill="url(#', 'a')],
    ['an endless href', within('<use href="#', '-', '!"/>')],
    ['spaces in an href', within('<use href="', ' ')],
    ['colons and hyphens in text', within('<text>', ']]', '</text>')],
    ['tabs', within('<text>', '\t', '</text>')],
    ['quotes', within('<text>', '"', '</text>')],
    ['open elements', repeated('<g>')],
    ['open comments', repeated('<!--')],
    ['entities', within('<text>', '&amp;', '</text>')],
    [
      'different attributes',
      (length: number) => `<g ${Array.from({ length: length / 8 }, (_, i) => `data-${i}=""`).join(' ')}/>`,
    ],
    [
      'namespaces',
      (length: number) =>
        `<g ${Array.from({ length: length / 16 }, (_, i) => `xmlns:a${i}="urn:x"`).join(' ')}/>`,
    ],
    ['a sheet of rules', within('<style>', '.a{fill:red}', '</style>')],
    ['a sheet of open rules', within('<style>', 'a{', '</style>')],
    ['a sheet of brackets', within('<style>a{fill:', '(', '}</style>')],
    ['a sheet of selectors', within('<style>', 'g,', 'g{fill:red}</style>')],
    ['a sheet of nested selectors', within('<style>', 'g ', '{fill:red}</style><g/>')],
    ['a sheet of escapes', within('<style>', '\\', '{fill:red}</style>')],
    ['a sheet of comments', within('<style>', '/*', '</style>')],
    ['a sheet of at-rules', within('<style>', '@media ', '</style>')],
    ['a sheet of imports', within('<style>', '@import "a";', '</style>')],
    ['rules for many elements', within('<style>g{fill:red}</style>', '<g/>', '')],
    ['classes', within('<style>.a{fill:red}</style><g class="', 'a ')],
    ['variables', within('<g style="--a:', 'var(--b)')],
    ['replaced variables', within('<g style="--b:red;fill:', 'var(--b) ')],
    ['open variables', within('<g style="fill:', 'var(')],
    ['a font of words', within('<g style="font:', 'bold ', '1px a"/>')],
    ['calls', within('<g filter="', 'blur(')],
    ['an open image', within('<image href="data:image/png;base64,', 'A')],
    ['entities of a DOCTYPE', within('<!DOCTYPE a [', '<!ENTITY a "http://a"> ', ']><svg/>')],
    [
      'elements with ids',
      (length: number) => Array.from({ length: length / 16 }, (_, i) => `<g id="a${i}"/>`).join(''),
    ],
  ])('takes no longer with %s', (_title, hostile) => {
    expectLinear(svg, benign, hostile)
  })

  it.each([
    ['a width of digits', repeated('1', 'width="', 'x" height="1"')],
    ['a width of dots', repeated('1.', 'width="', 'x" height="1"')],
    ['a width of spaces', repeated(' ', 'width="', '1 x" height="1"')],
    ['a width of digits and spaces', repeated(' ', 'width="1', 'x" height="1"')],
    ['a viewBox of spaces', repeated(' ', 'viewBox="', '"')],
    ['a viewBox of digits', repeated('1', 'viewBox="0 0 ', ' 1"')],
    ['a viewBox of commas', repeated(',', 'viewBox="', '"')],
  ])('takes no longer with %s', (_title, hostile) => {
    expectLinear((root) => svg('', root), repeated('M0 0h1', 'viewBox="0 0 1 1" d="', '"'), hostile)
  })
})

describe('a PDF', () => {
  const pdf = (text: string) => pdfProblem(Buffer.from(`%PDF-1.4\n${text}`, 'latin1'))
  it.each([
    ['zeros at its end', repeated('\0', '1 0 obj %%EOF')],
    ['ends', repeated('%%EOF')],
    ['starts', repeated('startxref ')],
    ['objects', repeated('1 0 obj ')],
    ['markup', repeated('<', '1 0 obj %%EOF')],
    ['ends of archives', repeated('PK\x05\x06')],
  ])('takes no longer with %s', (_title, hostile) => {
    expectLinear(pdf, repeated('1 0 obj ', '', '%%EOF'), hostile)
  })
})

describe('a short text', () => {
  const expressions = Object.entries(limits).flatMap(([name, value]) =>
    name.endsWith('_PATTERN') ? [[name, new RegExp(String(value), 'u')] as const] : [],
  )
  const hostile = [
    'a',
    '0',
    '-',
    'a-',
    'a.',
    '@',
    'a@',
    '@a',
    'a@a.',
    '.',
    ' ',
    '\n',
    '%',
    '<',
    '\u0301',
    '\u{1f600}',
  ]
  it.each(expressions)('is judged by %s in linear time', (_name, expression) => {
    for (const part of hostile) {
      for (const start of ['', 'a@', 'a@a', 'a@a.a']) {
        expectLinear((text) => expression.test(text), repeated('a'), repeated(part, start))
      }
    }
  })

  it.each([
    ['a line', (text: string) => lineProblem(text, 200_000)],
    ['a text', (text: string) => textProblem(text, 4_000)],
    ['a line of the log', withoutValues],
    ['an address of the network', networkOf],
    ['the addresses of pictures', uploadUrlsIn],
  ])('is judged as %s in linear time', (_name, judge) => {
    for (const part of [
      ...hostile,
      '//',
      'a_a',
      '/uploads/',
      `/uploads/${'a'.repeat(40)}`,
      'dup key: ',
      '%1',
      '::',
      ':0',
      'a-a.',
      '\u2028',
      '\ud800',
    ]) {
      expectLinear(judge, words, repeated(part))
      expectLinear(judge, words, repeated(part, '::ffff:1.'))
    }
  })
})
