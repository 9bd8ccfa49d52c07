import { describe, expect, it } from 'vitest'
import { htmlLines } from './html-text.ts'
import { lineText } from './line-writer.ts'

const textOf = (html: string) => htmlLines(html).map(lineText).join('\n')

describe('HTML as text', () => {
  it.each([
    [
      'cells apart',
      '<table><tr><th>Item</th><th>Price</th></tr><tr><td>Exam<td>1500</table>',
      'Item\tPrice\nExam\t1500',
    ],
    [
      'cells of Word and Outlook apart, and rows as lines',
      '<table><tr><td><p>Exam</p></td><td><p> 1500 </p></td></tr><tr><td><div>Bar</div></td><td></td><td><br>2</td></tr></table>',
      'Exam\t1500\nBar\t2',
    ],
    [
      'cells of several lines one below the other',
      '<tr><td>a<br>b</td><td>c</td></tr><tr><td>d</td></tr>',
      'a\nb\nc\nd',
    ],
    [
      'a table in a cell',
      '<table><tr><td><table><tr><td>a</td><td>b</td></tr></table></td><td>c</td></tr></table>',
      'a\tb\tc',
    ],
    ['numbers of a list', '<ol><li>a<li>b</ol>', '1. a\n2. b'],
    [
      'numbers from another start',
      '<ol start="3"><li>a</li><li value=7>b</li><li>c</li></ol>',
      '3. a\n7. b\n8. c',
    ],
    [
      'numbers backwards',
      '<ol reversed><li>a<li>b<li>c</ol><ol reversed start=9><li>d<li>e</ol>',
      '3. a\n2. b\n1. c\n\n9. d\n8. e',
    ],
    [
      'lists in lists',
      '<ol><li>a<ul><li>x</li></ul></li><li><p>b</p><ol><li>y</ol></li></ol>',
      '1. a\n  - x\n2. b\n  1. y',
    ],
    [
      'the words for pictures',
      '<p>see <img alt="Error 5" src="cid:1"> <img alt="😀"><img src="x"><img alt=""></p>',
      'see [Error 5] 😀',
    ],
    [
      'buttons',
      '<button>Pay</button><button>Cancel</button><input type=submit value="Send"><input value=x>',
      'Pay Cancel Send',
    ],
    [
      'the addresses of links that show others',
      '<a href="https://x.example/a">Pay now</a> <a href="https://www.x.example/">x.example</a> <a href=mailto:a@x.example>me</a> <a href="javascript:x">no</a> <a href=https://x.example><img alt=Logo></a>',
      'Pay now (https://x.example/a) x.example me (a@x.example) no [Logo] (https://x.example)',
    ],
    [
      'empty lines',
      '<div>a</div><div><br></div><div>b<br></div>c<br><br>d<p class=MsoNormal>e</p><p class=MsoNormal>&nbsp;</p><p class=MsoNormal>f</p>',
      'a\n\nb\nc\n\nd\ne\n\nf',
    ],
    [
      'lines that are written',
      '<pre>if a:\n\n    b\n</pre><div style="white-space: pre">  c\n   d</div>&nbsp; e',
      'if a:\n\n    b\n\n  c\n   d\n  e',
    ],
    [
      'end tags that are left out',
      '<p>a<p>b<ul><li>c<li>d</ul>e<dl><dt>f<dd>g</dl>',
      'a\n\nb\n\n- c\n- d\n\ne\n\nf\ng',
    ],
    [
      'what stands between tags that do not fit',
      '<b><i>a</b>b</i></p></div>c<!-- x --><![if !x]>d<![endif]>',
      'abcd',
    ],
  ])('has %s', (_, html, text) => {
    expect(textOf(html)).toBe(text)
  })

  it.each([
    ['display: none', '<div style="display: none; max-height: 0">x</div>'],
    ['no height', '<div style="max-height:0px;overflow:hidden;font-size:1px">x</div>'],
    ['opacity', '<span style="opacity:0">x</span>'],
    ['letters without size', '<td style="font-size:0px">x<b>x</b></td>'],
    ['the attribute hidden', '<div hidden>x<p>x</p></div>'],
    ['no visibility', '<p style="visibility:hidden">x'],
  ])('has no words hidden by %s', (_, hidden) => {
    expect(textOf(`<p>seen</p>${hidden}`)).toBe('seen')
  })

  it('has the words in layouts that give size to their inner parts only', () => {
    expect(textOf('<td style="font-size:0"><p style="font-size:13px">seen</p></td>')).toBe('seen')
    expect(textOf('<p style="opacity:0.5;line-height:0;margin-height:0">seen</p>')).toBe('seen')
  })
})

it.each([
  ['a million cells', '<td>'.repeat(1_000_000)],
  ['cells with an element that is never closed', '<td><b>x'.repeat(100_000)],
  ['deep elements', '<div>'.repeat(200_000)],
  ['end tags of nothing', `${'<b>'.repeat(100_000)}${'</i>'.repeat(100_000)}`],
  ['deep quotes', '<blockquote>x'.repeat(50_000)],
  ['deep lists', '<ol reversed><li>x'.repeat(50_000)],
  ['deep tables', '<table><tr><td>x'.repeat(50_000)],
  ['links in links', '<a href=https://x.example><b>x'.repeat(30_000)],
  ['holders of quotes in each other', '<div class=gmail_quote>x'.repeat(30_000)],
])('%s are read', (_, html) => {
  expect(htmlLines(html).length).toBeGreaterThanOrEqual(0)
})
