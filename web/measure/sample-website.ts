import { monthLabel } from '../../api/src/content/month-label.ts'
import posts from '../../api/src/content/samples/posts.json' with { type: 'json' }
import reviews from '../../api/src/content/samples/reviews.json' with { type: 'json' }
import { openStores } from '../../api/src/storage/open-storage.ts'

const HOUR = 60 * 60_000
const DAY = 24 * HOUR

/** By the hours since they came. */
const CONTACTS = [
  [
    0.6,
    'noor@example.com',
    'A group of twelve students',
    'Hello, we are a nursing school with twelve students who take the same exam on one day. Do you have a price for groups, and can they all start at eight?',
  ],
  [5, 'sam@example.com', 'Invoice', 'Could you send me an invoice with the address of my employer?'],
  [
    22,
    'lee@example.com',
    'My webcam is broken',
    'The webcam of my laptop does not work anymore. Is the camera of a phone allowed? My exam is on Friday.',
  ],
  [29, 'joana@example.com', 'Thank you', 'You were great. I passed!'],
  [53, 'a.very.long.address.of.a.student@university.example.com', 'Chromebook', 'Does it work on one?'],
  [
    76,
    'kim@example.com',
    'Rescheduling',
    'My exam was moved by a week by the university.\nCan I move my session too? The confirmation says until 24 hours before.\n\nBest regards\nKim',
  ],
  [99, 'omar@example.com', '', 'When are you open on Sundays?'],
  [140, 'press@example.net', 'A question for an article', 'I write about remote exams. May I call you?'],
] as const

const REPLIES = [
  [
    'allow-camera',
    'Please open the settings of your browser, then Privacy, then Camera, and check that the exam site is allowed.',
  ],
  ['bye', 'Glad I could help. Good luck with your exam!'],
  ['hello', 'Hello! How can I help you today?'],
  ['id', 'Most exams ask for a government ID. Your confirmation email lists which ones.'],
  ['late', 'Sorry for the wait. I am reading your messages now.'],
  ['move', 'You can move your session until 24 hours before it begins. Which time suits you?'],
  ['price', 'The price depends on the length of the exam. You find all prices at /#prices.'],
  ['refund', 'We have started your refund. It takes three to five working days.'],
] as const

const WAITING = [
  {
    name: 'Noor E.',
    star: 4.7,
    review: 'Calm and clear. They stayed with me until the proctor came, and answered within a minute.',
  },
  { name: 'Peter', star: 3, review: 'It worked, but I had to wait for ten minutes on a Tuesday evening.' },
] as const

/** Fills the store of a stopped server with posts, reviews, contact messages, and canned replies. */
export async function fillSampleWebsite(dataDir: string, now: number): Promise<void> {
  const { storage } = await openStores({ dataDir })
  for (const [index, { slug, title, summary, drawing, imgAlt, content }] of posts.entries()) {
    const createdAt = now - 2 * HOUR - index * (9 * DAY + 5 * HOUR)
    const img = `/images/posts/${drawing}.svg`
    await storage.blogs.create({
      ...{ slug, title, summary, img, imgAlt, content: content.join('\n'), createdAt },
    })
  }
  for (const [index, { name, star, review }] of reviews.entries()) {
    const createdAt = now - HOUR - index * (13 * DAY + 7 * HOUR)
    await storage.reviews.create({ name, star, review, time: monthLabel(createdAt), createdAt })
  }
  for (const [index, waiting] of WAITING.entries()) {
    const createdAt = now - (index + 2) * HOUR
    await storage.reviews.submit({ ...waiting, time: monthLabel(createdAt), createdAt })
  }
  for (const [hours, email, title, message] of CONTACTS.toReversed()) {
    const { _id } = await storage.contacts.create({ email, title, message, createdAt: now - hours * HOUR })
    if (hours > 24 && hours < 60) await storage.contacts.setDone(_id, now - 20 * HOUR)
  }
  for (const [shortcut, text] of REPLIES)
    await storage.replies.create({ shortcut, text, createdAt: now }, 500)
  await storage.close()
}
