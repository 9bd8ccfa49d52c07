// @vitest-environment jsdom
import Quill, { Delta } from 'quill'
import { expect, it, vi } from 'vitest'
import './clean-clipboard.ts'
import { FORMATS } from './formats.ts'
import { linesOf } from './lines.ts'
import { PostDocument } from './post-document.ts'
import { PostQuill } from './post-quill.ts'
import { writeLines } from './write-post.ts'

/** What breaks out of text, of an attribute and of an element when it is written as it is. */
const BREAKOUT = `"><img src=x onerror=alert(1)></a></pre></td><script>alert(1)</script>`

it('writes no value of a format or an embed as HTML, as the advisory on getSemanticHTML() says of Quill', () => {
  const delta = new Delta()
    .insert(BREAKOUT, { link: BREAKOUT, color: BREAKOUT, font: BREAKOUT, script: BREAKOUT })
    .insert({ image: BREAKOUT }, { alt: BREAKOUT, width: BREAKOUT })
    .insert({ formula: BREAKOUT })
    .insert({ 'left-out': BREAKOUT })
    .insert('\n', { align: BREAKOUT, indent: BREAKOUT })
    .insert({ video: BREAKOUT }, { align: BREAKOUT })
    .insert(BREAKOUT)
    .insert('\n', { 'code-block': BREAKOUT })
    .insert(BREAKOUT)
    .insert('\n', { list: BREAKOUT })
    .insert(BREAKOUT)
    .insert('\n', { 'table-cell': `${BREAKOUT} row head th " onclick=alert(1) 2 2` })
  const html = writeLines(linesOf(delta, (name) => name === 'video'))
  const { body } = new DOMParser().parseFromString(html, 'text/html')
  const elements = [...body.querySelectorAll('*')]
  expect(elements.map(({ localName }) => localName)).toEqual(
    'p a span sup img iframe pre ul li table tbody tr td'.split(' '),
  )
  expect(new Set(elements.flatMap((element) => element.getAttributeNames()))).toEqual(
    new Set(['class', 'href', 'src', 'alt', 'width', 'scope']),
  )
})

it('never calls getSemanticHTML(), neither for what is saved nor for what is copied', () => {
  const unsafe = vi.spyOn(Quill.prototype, 'getSemanticHTML')
  const container = document.createElement('div')
  document.body.append(container)
  const quill = new PostQuill(container, { formats: FORMATS })
  const post = new PostDocument(quill, '<p>a <a href="/faq">b</a></p>')
  quill.insertText(0, 'x', 'user')
  expect(post.html()).toBe('<p>xa <a href="/faq">b</a></p>')
  const copied = quill.clipboard.onCopy({ index: 0, length: 5 }, false)
  expect(copied.html).toBe('<div data-post=""><p>xa <a href="/faq">b</a></p></div>')
  expect(unsafe).not.toHaveBeenCalled()
})
