import { afterAll, beforeAll, describe } from 'vitest'
import { describeOnMongo, testMongo } from '../mongo-server.ts'

/** Repeats test files of the app on MongoDB: those that do not depend on files. Each entry imports one. */
export function repeatOnMongo(suites: Record<string, () => Promise<unknown>>): void {
  describeOnMongo('on MongoDB', () => {
    beforeAll(() => {
      process.env.TEST_STORE_URL = testMongo?.url
    })
    afterAll(() => {
      delete process.env.TEST_STORE_URL
    })
    for (const [name, load] of Object.entries(suites)) {
      describe(name, async () => {
        await load()
      })
    }
  })
}
