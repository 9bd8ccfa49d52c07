import { afterAll, beforeAll, describe } from 'vitest'
import { describeOnMongo, testMongo } from './mongo-server.ts'

/** Tests of the app that do not depend on files, repeated on MongoDB. */
const SUITES = {
  hub: () => import('../src/hub/hub.test.ts'),
  chat: () => import('../src/chat/chat-routes.test.ts'),
  files: () => import('../src/chat/file-routes.test.ts'),
  inbox: () => import('../src/chat/inbox-routes.test.ts'),
  'blocks, ratings and exports': () => import('../src/chat/blocks-and-ratings-routes.test.ts'),
  visitors: () => import('../src/chat/visitor-routes.test.ts'),
  auth: () => import('../src/auth/auth-routes.test.ts'),
  team: () => import('../src/auth/team-routes.test.ts'),
  account: () => import('../src/auth/account-routes.test.ts'),
  blogs: () => import('../src/content/blog-routes.test.ts'),
  reviews: () => import('../src/content/review-routes.test.ts'),
  'reviews of admins': () => import('../src/content/review-admin-routes.test.ts'),
  replies: () => import('../src/content/reply-routes.test.ts'),
  contacts: () => import('../src/content/contact-routes.test.ts'),
  search: () => import('../src/search/search-routes.test.ts'),
  settings: () => import('../src/settings/settings-routes.test.ts'),
  'the public configuration': () => import('../src/settings/config-routes.test.ts'),
}

describeOnMongo('on MongoDB', () => {
  beforeAll(() => {
    process.env.TEST_STORE_URL = testMongo?.url
  })
  afterAll(() => {
    delete process.env.TEST_STORE_URL
  })
  for (const [name, load] of Object.entries(SUITES)) {
    describe(name, async () => {
      await load()
    })
  }
})
