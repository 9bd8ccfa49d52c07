import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5'
import { rewriteSvg } from '../../../src/uploads/svg.ts'
import { ELEMENTS, imagePlace, SVG } from '../../../src/uploads/svg-vocabulary.ts'
import { WrongFile } from '../../../src/uploads/wrong-file.ts'
import type { Target } from '../loop.ts'

type Node = DefaultTreeAdapterTypes.ChildNode

export const words = [
  ...[
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8">',
    '</svg>',
    '<g>',
    '</g>',
    '<style>',
    '</style>',
  ],
  ...[
    '<![CDATA[',
    ']]>',
    '<!--',
    '-->',
    '<?xml version="1.0"?>',
    '<!DOCTYPE svg [',
    '<!ENTITY a "b">',
    '&a;',
    '&#x3c;',
  ],
  ...[
    'xlink:href="#a"',
    'href="#a"',
    'href="data:image/png;base64,',
    'iVBORw0KGgo=',
    ' id="a"',
    ' class="a"',
    ' style="',
  ],
  ...[
    'xmlns:xlink="http://www.w3.org/1999/xlink"',
    'xmlns:x="http://www.w3.org/1999/xhtml"',
    '<foreignObject>',
    '<x:p>',
  ],
  ...[
    'url(#a)',
    'url("',
    'var(--a)',
    '--a:',
    '@import "',
    '@media screen{',
    '}',
    '{',
    '!important',
    '\\75',
    ':not(',
    '>',
  ],
  ...[
    ' onload="',
    'javascript:',
    '<script>',
    '<use ',
    '<filter id="a">',
    '<pattern id="a" ',
    '<clipPath id="a">',
  ],
  ...[
    'fill:red',
    'font:12px/1 a',
    'marker:url(#a)',
    '1e9',
    '100%',
    '-0',
    'calc(1px + 2%)',
    '\ufeff',
    '\ufffd',
    'transform',
  ],
]

const allowed = new Set([...ELEMENTS].map((name) => name.toLowerCase()))
const IMAGE = 'data:image/png;base64,iVBORw0KGgo='

export async function open(): Promise<Target> {
  return {
    async run(input) {
      try {
        const { text, images, width, height } = rewriteSvg(input)
        for (const side of [width, height]) {
          if (!Number.isInteger(side) || side < 1 || side > 10_000)
            throw new Error(`A side is ${side} pixels.`)
        }
        const whole = images.reduce<string>((all, _, index) => all.replaceAll(imagePlace(index), IMAGE), text)
        parseFragment(whole).childNodes.forEach(checkNode)
        checkAgain(whole)
        return undefined
      } catch (error) {
        if (!(error instanceof WrongFile)) throw error
        if (!/^[A-Z].{10,300}\.$/.test(error.message)) throw new Error(`Not a sentence: ${error.message}`)
        // Which refusal it is says more than the blocks that lead to it.
        return [error.message]
      }
    },
    async close() {},
  }
}

/** What a second parser, which reads it as browsers read HTML, finds in a rewritten SVG. */
function checkNode(node: Node): void {
  if (!('tagName' in node)) return
  const { tagName, attrs, childNodes, namespaceURI } = node
  if (!allowed.has(tagName.toLowerCase()) || namespaceURI !== SVG)
    throw new Error(`It has the element ${tagName}.`)
  for (const { name, value } of attrs) {
    const isWrong =
      /^on/i.test(name) ||
      (/href$/i.test(name) && !/^(?:#|data:image\/png;base64,)/.test(value)) ||
      /javascript:|@import|expression\s*\(/i.test(value.replace(/[\s\\]/g, '')) ||
      /url\s*\(\s*(?!#)/i.test(value)
    if (isWrong && name !== 'aria-label')
      throw new Error(`It has the attribute ${name}="${value.slice(0, 100)}".`)
  }
  childNodes.forEach(checkNode)
}

/** A rewritten SVG is an SVG that needs no rewriting. */
function checkAgain(whole: string): void {
  const { text, images } = rewriteSvg(Buffer.from(whole))
  const again = images.reduce<string>((all, _, index) => all.replaceAll(imagePlace(index), IMAGE), text)
  if (again === whole) return
  const at = [...whole].findIndex((character, index) => character !== again[index])
  throw new Error(
    `The second time, it is ${again.slice(at - 40, at + 60)}, not ${whole.slice(at - 40, at + 60)}`,
  )
}
