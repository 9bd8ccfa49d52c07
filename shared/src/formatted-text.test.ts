import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mayHaveMarks } from './format-marks.ts'
import { type Block, type Inline, parseFormatted, withoutMarks } from './formatted-text.ts'

const bold = (...children: Inline[]): Inline => ({ kind: 'bold', children })
const italic = (...children: Inline[]): Inline => ({ kind: 'italic', children })
const code = (text: string): Inline => ({ kind: 'code', text })
const link = (href: string, ...children: Inline[]): Inline => ({ kind: 'link', href, children })
const lineOf = (text: string): Inline[] => {
  const [block] = parseFormatted(text)
  return block?.kind === 'text' ? (block.lines[0] ?? []) : []
}
const linesOf = (blocks: readonly Block[]) =>
  blocks.flatMap((block) => (block.kind === 'text' ? block.lines : block.items))
/** Returns all links, also those in other elements. */
function linksIn(parts: readonly Inline[]): string[] {
  return parts.flatMap((part) => {
    if (typeof part === 'string' || part.kind === 'code') return []
    return [...(part.kind === 'link' ? [part.href] : []), ...linksIn(part.children)]
  })
}
function depthOf(parts: readonly Inline[]): number {
  return Math.max(
    0,
    ...parts.map((part) => {
      if (typeof part === 'string') return 0
      return part.kind === 'code' ? 1 : 1 + depthOf(part.children)
    }),
  )
}

describe('marks in a line', () => {
  it.each<[string, Inline[]]>([
    ['**bold**', [bold('bold')]],
    ['a **b c** d', ['a ', bold('b c'), ' d']],
    ['_italic_, `code`', [italic('italic'), ', ', code('code')]],
    ['请**务必**带证件', ['请', bold('务必'), '带证件']],
    ['**bold _and italic_**', [bold('bold ', italic('and italic'))]],
    ['_**both**_', [italic(bold('both'))]],
    ['**a _b** c_', [bold('a _b'), ' c_']],
    ['**a **b**', ['**a ', bold('b')]],
    ['`**not bold**` `_`', [code('**not bold**'), ' ', code('_')]],
    ['**`x` is code**', [bold(code('x'), ' is code')]],
    ['(_why_)', ['(', italic('why'), ')']],
    ['“_why_”', ['“', italic('why'), '”']],
    ['**مهم** جدا', [bold('مهم'), ' جدا']],
    ['_שלום_ לך', [italic('שלום'), ' לך']],
    ['😀_hi_😀', ['😀', italic('hi'), '😀']],
  ])('formats %j', (text, parts) => expect(lineOf(text)).toEqual(parts))

  it.each([
    '** not bold **',
    '2 ** 3 ** 4',
    '**open',
    'open_',
    '_open',
    '`open',
    'snake_case_name',
    '__init__',
    '***three***',
    '****',
    '__',
    '``',
    '```three```',
    '*one*',
    'été_été_été',
    '𝒳_a_𝒳',
    'a _b_c',
    '[words]',
    '[words](x',
    '[](https)',
    '\\',
  ])('leaves %j as text', (text) => expect(lineOf(text)).toEqual([text]))

  it('pairs marks within one line only', () => {
    expect(parseFormatted('**a\nb**')).toEqual([{ kind: 'text', lines: [['**a'], ['b**']] }])
  })
})

describe('links', () => {
  it.each<[string, Inline[]]>([
    ['[our page](https://a.example/b)', [link('https://a.example/b', 'our page')]],
    ['[a](http://a.example)', [link('http://a.example/', 'a')]],
    ['[mail us](mailto:help@a.example)!', [link('mailto:help@a.example', 'mail us'), '!']],
    ['**[a _b_](https://a.example/)**', [bold(link('https://a.example/', 'a ', italic('b')))]],
    ['[E](https://a.example/E_(x)_!)', [link('https://a.example/E_(x)_!', 'E')]],
    ['x [[a](https://a.example/)', ['x [', link('https://a.example/', 'a')]],
    ['https://a.example/_b_/**c**', [link('https://a.example/_b_/**c', 'https://a.example/_b_/**c'), '**']],
    ['**https://a.example**', [bold(link('https://a.example/', 'https://a.example'))]],
    ['_https://a.example/b_c_', [italic(link('https://a.example/b_c', 'https://a.example/b_c'))]],
    ['_sam@a.example_', [italic(link('mailto:sam@a.example', 'sam@a.example'))]],
    ['_sam@a.example', [link('mailto:_sam@a.example', '_sam@a.example')]],
    ['[https://a.example/](https://a.example)', [link('https://a.example/', 'https://a.example/')]],
    ['`https://a.example`', [code('https://a.example')]],
  ])('makes %j a link', (text, parts) => expect(lineOf(text)).toEqual(parts))

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    'java\tscript:alert(1)',
    'javascript&colon;alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:msgbox(1)',
    'file:///etc/passwd',
    'tel:123',
    '/path',
    '//a.example',
    '#place',
    '',
    'https://user:word@a.example/',
    'https://a.example/\u202ea',
    'https://a.example/ b',
    'https://a.example/"x',
    ' https:',
    'blob:https',
  ])('makes no link to %j', (address) => {
    const text = `[words](${address})`
    expect(withoutMarks(text)).toBe(text)
    for (const part of lineOf(text)) expect(part).not.toMatchObject({ children: ['words'] })
  })

  it('refuses words that are another address', () => {
    const text = '[https://bank.example](https://evil.example)'
    expect(linksIn(lineOf(text))).toEqual(['https://bank.example/', 'https://evil.example/'])
    expect(withoutMarks(text)).toBe(text)
  })
})

describe('lists', () => {
  it('reads bullets and numbers, and keeps the lines between them', () => {
    expect(parseFormatted('Bring:\n\n- your **ID**\n- a pen\n1. sit\n2. write\n\nBye')).toEqual([
      { kind: 'text', lines: [['Bring:'], []] },
      { kind: 'list', first: null, items: [['your ', bold('ID')], ['a pen']] },
      { kind: 'list', first: 1, items: [['sit'], ['write']] },
      { kind: 'text', lines: [[], ['Bye']] },
    ])
  })

  it('keeps every number as it was typed', () => {
    expect(parseFormatted('3. Oktober\n1. a\n1. b')).toEqual([
      { kind: 'list', first: 3, items: [['Oktober']] },
      { kind: 'list', first: 1, items: [['a']] },
      { kind: 'list', first: 1, items: [['b']] },
    ])
  })

  it.each(['-x', '- ', '1.x', '1. ', '2026. was', ' - x', '1) x', '* x', '-'])(
    'leaves %j as text',
    (text) => {
      expect(parseFormatted(text)).toEqual([{ kind: 'text', lines: [[text]] }])
    },
  )
})

describe('a text without marks', () => {
  it('has only its words', () => {
    const text = '**Hi** _there_: `x`\n- [site](https://a.example/) and https://b.example/_c_'
    expect(withoutMarks(text)).toBe('Hi there: x\nsite and https://b.example/_c_')
  })
})

const PIECES = [
  '**',
  '_',
  '`',
  '[',
  ']',
  '](',
  '](https://a.example/',
  ')',
  '- ',
  '1. ',
  '\n',
  ' ',
  '*',
  '😀',
]
const texts = fc
  .array(
    fc.oneof(fc.constantFrom(...PIECES, 'a', 'b c', 'مرحبا', '\u202e', 'https://b.example/_c_'), fc.string()),
  )
  .map((pieces) => pieces.join(''))

describe('any text', () => {
  it('keeps its other characters in their order', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const plain = withoutMarks(text)
        let at = 0
        for (const character of plain) {
          at = text.indexOf(character, at)
          expect(at).toBeGreaterThanOrEqual(0)
          at += character.length
        }
        if (!mayHaveMarks(text)) expect(plain).toBe(text)
        const words = (any: string) => any.replace(/[^\p{L}]/gu, '')
        if (!text.includes('](')) expect(words(plain)).toBe(words(text))
      }),
    )
  })

  it('links only to safe addresses, nests little, and joins texts', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const line of linesOf(parseFormatted(text))) {
          for (const href of linksIn(line)) expect(href).toMatch(/^(?:https?:\/\/|mailto:)/)
          expect(depthOf(line)).toBeLessThanOrEqual(6)
          expect(line.some((part, at) => typeof part === 'string' && typeof line[at + 1] === 'string')).toBe(
            false,
          )
        }
      }),
    )
  })

  // Quadratic behavior would take minutes here and end in the runner's time limit.
  it.each([
    '*',
    '**',
    '** ',
    '**a',
    '_',
    '_ ',
    ' _a',
    'a_ ',
    '`',
    '` ',
    '`` `',
    '[',
    '](',
    '[a](',
    '[a](https://a.example/',
    '[a](https://a.example)',
    '[[a]',
    '(',
    '- ',
    '- a\n',
    '1. ',
    '1',
    '**_[`',
    ' **a _b',
    '\u202e**',
    'א_ ',
  ])('is done with 640 KB of %j', (piece) => {
    const text = piece.repeat(640_000 / piece.length)
    expect(linesOf(parseFormatted(text)).length).toBeGreaterThan(0)
    expect(withoutMarks(`a${text}`).length).toBeLessThanOrEqual(text.length + 1)
  })
})
