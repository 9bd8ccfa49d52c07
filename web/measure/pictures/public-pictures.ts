import { ourAnswer, ourError } from '../../e2e/our-answer.ts'
import type { Picture } from './studio.ts'

const POST = '/blog/a-quiet-room-in-a-loud-house'
const ARTICLE = '/blog/can-proctoru-see-my-screen'

export const PUBLIC_PICTURES: readonly Picture[] = [
  { name: 'home', path: '/' },
  { name: 'home-whole', path: '/', isWhole: true },
  { name: 'blogs', path: '/blogs' },
  { name: 'blogs-whole', path: '/blogs', isWhole: true },
  { name: 'post', path: POST },
  { name: 'post-whole', path: POST, isWhole: true },
  { name: 'article', path: ARTICLE },
  { name: 'article-whole', path: ARTICLE, isWhole: true },
  { name: 'reviews', path: '/reviews' },
  { name: 'reviews-whole', path: '/reviews', isWhole: true },
  { name: 'contact', path: '/contact', isWhole: true },
  {
    name: 'contact-errors',
    path: '/contact',
    async pose({ page }) {
      await page.getByLabel('Email').first().fill('sam@')
      await page.getByRole('button', { name: 'Send message' }).click()
    },
  },
  {
    name: 'contact-sent',
    path: '/contact',
    async pose({ page }) {
      await page.route('**/api/contacts', (route, request) =>
        route.fulfill(ourAnswer(request, { message: 'Thank you. We will reply by email.' }, 201)),
      )
      await page.getByLabel('Email').first().fill('sam@example.com')
      await page.getByLabel(/^Title/).fill('Invoice')
      await page.getByLabel(/^Message/).fill('Could you send me an invoice?')
      await page.getByRole('button', { name: 'Send message' }).click()
      await page.getByRole('main').getByRole('status').getByText(/\w/).waitFor()
    },
  },
  { name: 'faq', path: '/faq', isWhole: true },
  { name: 'privacy', path: '/privacy' },
  { name: 'terms', path: '/terms' },
  { name: 'not-found', path: '/nothing-is-here' },
  {
    name: 'error',
    path: '/faq',
    async pose({ page }) {
      await page.route('**/api/reviews**', (route, request) =>
        route.fulfill(
          ourError(request, 503, { message: 'The database is unavailable.', code: 'unavailable' }),
        ),
      )
      await page.getByRole('contentinfo').getByRole('link', { name: 'Reviews' }).click()
      await page
        .getByRole('button', { name: /try again|reload/i })
        .first()
        .waitFor()
    },
  },
]
