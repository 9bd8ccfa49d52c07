// @vitest-environment jsdom
import { expect, test } from 'vitest'
import { wordsOfHtml } from '../versions/compared-words.ts'
import { labelOf } from './text-names.ts'
import { partsOfText } from './text-parts.ts'

test('HTML is told in lines, with what its words do not say', () => {
  const html = `<h2>Rules</h2><p>Read <a href="/faq">the FAQ</a>.<br>Then rest.</p><ul><li>One</li><li>Two</li></ul>
    <table><tr><th>Price</th><td>$5</td></tr></table><p><img src="/uploads/a.png" alt="A desk"></p>`
  expect(wordsOfHtml(html).split('\n')).toEqual([
    'Rules',
    'Read the FAQ (/faq).',
    'Then rest.',
    '• One',
    '• Two',
    'Price | $5 |',
    '[Picture: A desk]',
  ])
})

test('each field has a label of its own', () => {
  expect(labelOf('home', 'heading')).toBe('Headline')
  expect(labelOf('privacy', 'heading')).toBe('Heading')
  expect(labelOf('home', 'steps/0/title')).toBe('Step 1')
  expect(labelOf('home', 'steps/1/text')).toBe('Step 2, text')
  expect(labelOf('home', 'banner/heading')).toBe('Banner heading')
  expect(labelOf('home', 'exchange/messages/2/isFromTeam')).toBe('Message 3, from')
  expect(labelOf('article', 'imageAlt')).toBe('Alt text')
  expect(labelOf('blogs', 'guidesHeading')).toBe('Guides heading')
})

test('the fields of a question are told by its rules', () => {
  expect(partsOfText('question', { question: 'Why?', answer: '<p>Because.</p>' })).toEqual([
    { label: 'Question', text: 'Why?' },
    { label: 'Answer', text: 'Because.' },
  ])
})
