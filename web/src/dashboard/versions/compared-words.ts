import { htmlToParse } from '../../lib/trusted-html.ts'

/** One field of a text as words that can be compared. */
export interface ComparedPart {
  label: string
  text: string
}

const BLOCKS =
  'address, blockquote, div, figure, h1, h2, h3, h4, h5, h6, li, p, pre, table, tr, ul, ol, dl, dt, dd'

/** Returns what HTML says, with a line for each paragraph. Pictures, videos, and the links' addresses are words too. */
export function wordsOfHtml(html: string): string {
  const { body } = new DOMParser().parseFromString(htmlToParse(html), 'text/html')
  const replace = (element: Element, text: string) => element.replaceWith(text)
  for (const image of body.querySelectorAll('img')) {
    replace(image, ` [Picture: ${image.alt || (image.getAttribute('src') ?? '')}] `)
  }
  for (const video of body.querySelectorAll('iframe'))
    replace(video, ` [Video: ${video.getAttribute('src')}] `)
  for (const link of body.querySelectorAll('a[href]')) {
    const address = link.getAttribute('href') ?? ''
    if (address !== link.textContent) link.append(` (${address})`)
  }
  for (const line of body.querySelectorAll('br')) replace(line, '\n')
  for (const cell of body.querySelectorAll('td, th')) cell.append(' | ')
  for (const item of body.querySelectorAll('li')) item.prepend('• ')
  for (const block of body.querySelectorAll(BLOCKS)) {
    block.before('\n')
    block.after('\n')
  }
  const lines = (body.textContent ?? '').split('\n').map((line) => line.replace(/[^\S\n]+/g, ' ').trim())
  return lines.filter((line) => line !== '').join('\n')
}
