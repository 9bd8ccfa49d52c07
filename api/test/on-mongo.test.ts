import { afterAll, beforeAll, describe } from 'vitest'
import { describeOnMongo, testMongo } from './mongo-server.ts'

/** Tests of the app that have nothing to do with files, once more on the other store. */
const SUITES = {
  hub: () => import('../src/hub/hub.test.ts'),
  chat: () => import('../src/routes/chat.test.ts'),
  auth: () => import('../src/routes/auth.test.ts'),
  account: () => import('../src/routes/account.test.ts'),
  blogs: () => import('../src/routes/blogs.test.ts'),
  reviews: () => import('../src/routes/reviews.test.ts'),
  'reviews of admins': () => import('../src/routes/reviews-admin.test.ts'),
  contacts: () => import('../src/routes/contacts.test.ts'),
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
