import { expect, it } from 'vitest'
import { messageSummary } from './message-summary.ts'
import type { Attachment } from './schemas/attachment.ts'

const photo: Attachment = { _id: '1', name: 'a.png', type: 'image/png', bytes: 1, width: 1, height: 1 }
const ticket: Attachment = { _id: '2', name: 'ticket.pdf', type: 'application/pdf', bytes: 1 }

it.each([
  ['hello', [photo], 'hello'],
  ['', [photo], 'Photo'],
  ['', [ticket], 'ticket.pdf'],
  ['', [photo, ticket], 'Photo +1'],
  ['', [], ''],
  ['', undefined, ''],
])('says %j with its files in one line', (message, attachments, summary) => {
  expect(messageSummary({ message, ...(attachments && { attachments }) })).toBe(summary)
})

it('takes the word for a photo', () => {
  expect(messageSummary({ message: '', attachments: [photo] }, '图片')).toBe('图片')
})
