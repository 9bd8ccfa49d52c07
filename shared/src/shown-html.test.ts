import { describe, expect, it } from 'vitest'
import { sectionsOf, shownHtml } from './shown-html.ts'

describe('the shown HTML of a text', () => {
  it('has an ID for each heading, and lists those of the second level', () => {
    const { html, headings } = shownHtml(
      '<h2>Can\'t I <em>just</em> try?</h2><p>a &amp; b</p><h3 class="ql-align-center">Detail</h3><h2>Can\'t I just try?</h2><h2>&lt;b&gt;</h2>',
    )
    expect(headings).toEqual([
      { id: 'cant-i-just-try', text: "Can't I just try?" },
      { id: 'cant-i-just-try-2', text: "Can't I just try?" },
      { id: 'b', text: '<b>' },
    ])
    expect(html).toContain('<h2 id="cant-i-just-try">Can\'t I <em>just</em> try?</h2><p>a &amp; b</p>')
    expect(html).toContain('<h3 id="detail" class="ql-align-center">Detail</h3>')
  })

  it('has scrollable tables with column headers', () => {
    const { html } = shownHtml(
      '<table><thead><tr><th scope="col">Place</th><th scope="col">"Good" &amp; <b>bad</b></th></tr></thead><tbody><tr><td>a</td></tr></tbody></table><table><tbody><tr><td>b</td></tr></tbody></table>',
    )
    expect(html).toMatch(
      /^<div class="table" role="region" aria-label="Table: Place, &quot;Good&quot; &amp; bad" tabindex="0"><table><thead>/,
    )
    expect(html).toContain(
      '</tbody></table></div><div class="table" role="region" aria-label="Table" tabindex="0"><table><tbody>',
    )
  })

  it('vouches for links to other sites, and leaves colors to a script', () => {
    const { html } = shownHtml(
      '<p><a href="https://a.example/" rel="noopener noreferrer nofollow ugc">a</a><span style="color:red">b</span></p>',
    )
    expect(html).toBe(
      '<p><a href="https://a.example/" rel="external noopener noreferrer">a</a><span data-style="color:red">b</span></p>',
    )
  })
})

describe('the sections of a text', () => {
  it('begin with second-level headings, and their paragraphs are running text', () => {
    expect(
      sectionsOf(
        '<h2>One</h2>\n<h3>How?</h3>\n<p>So.</p>\n<p>And so.<br />x</p><h2>Two</h2><ul><li>a</li></ul>',
      ),
    ).toEqual([
      {
        id: 'one',
        html: '<h2 id="one">One</h2><h3 id="how">How?</h3><div class="prose"><p>So.</p>\n<p>And so.<br />x</p></div>',
      },
      { id: 'two', html: '<h2 id="two">Two</h2><div class="prose"><ul><li>a</li></ul></div>' },
    ])
  })

  it('may begin without a heading, and do not divide other elements', () => {
    expect(sectionsOf('<p>First.</p><blockquote><h2>In</h2><p>x</p></blockquote><h4>Four</h4>')).toEqual([
      {
        id: null,
        html: '<div class="prose"><p>First.</p><blockquote><h2 id="in">In</h2><p>x</p></blockquote><h4 id="four">Four</h4></div>',
      },
    ])
    expect(sectionsOf(' ')).toEqual([])
  })

  it('take linear time, so that this test ends', () => {
    const hostile = ['<blockquote><h2>a</h2>', '<h2>a</h2>', '<table>', '<table><tr><th>x', '<h2>', '</h3>']
    for (const part of hostile) expect(sectionsOf(part.repeat(20_000)).length).toBeGreaterThan(0)
  })
})
