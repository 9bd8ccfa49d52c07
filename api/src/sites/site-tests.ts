import { AppError } from '@proctorpass/shared/errors'
import { SITE_TEST_ORIGIN_MAX } from '@proctorpass/shared/limits'
import type { SiteTest, SiteTestReport } from '@proctorpass/shared/schemas/site'
import type { AdminCaller } from '../auth/caller.ts'
import { hashOfToken, randomToken } from '../auth/session-tokens.ts'
import type { Storage } from '../storage/model/storage.ts'
import type { Sites } from './sites.ts'

const DOCUMENT = 'site-tests'
/** How long a test waits for the page. */
const OPEN_MS = 10 * 60 * 1_000
const TESTS_MAX = 20

interface StoredTest extends SiteTest {
  hash: string
  siteId: string
  at: number
}

interface SiteTestsDeps {
  storage: Pick<Storage, 'documents'>
  sites: Pick<Sites, 'find'>
  now: () => number
}

/** The use cases for "Test this site": what happened on a page that an admin opened with a token in its address. */
export function createSiteTests({ storage, sites, now }: SiteTestsDeps) {
  /**
   * Changes the stored tests, and repeats the change if another call changed them in the meantime. `change` returns
   * null if there is nothing to change.
   */
  async function update(change: (tests: readonly StoredTest[]) => StoredTest[] | null): Promise<boolean> {
    for (;;) {
      const stored = await storage.documents.read<StoredTest[]>(DOCUMENT)
      const open = (stored?.value ?? []).filter(({ at }) => Math.abs(now() - at) < OPEN_MS)
      const changed = change(open)
      if (changed === null) return false
      if (await storage.documents.write(DOCUMENT, changed, stored?.version ?? 0)) return true
    }
  }

  /**
   * Adds a fact to a test. Strangers do not know the token, so an admin reads only about their own test. Returns false
   * for an unknown token.
   */
  async function note(
    { siteId, token }: { siteId: string; token: string },
    fact: Partial<SiteTest>,
    isOpen: (test: StoredTest) => boolean = () => true,
  ): Promise<boolean> {
    const hash = hashOfToken(token)
    const isTheirs = (test: StoredTest) => test.hash === hash && test.siteId === siteId && isOpen(test)
    return update((tests) =>
      tests.some(isTheirs) ? tests.map((test) => (isTheirs(test) ? { ...test, ...fact } : test)) : null,
    )
  }

  return {
    /** Begins a test and returns its token. */
    async begin(_admin: AdminCaller, siteId: string): Promise<string> {
      if ((await sites.find(siteId)) === null) throw new AppError('not-found', 'Website not found.')
      const token = randomToken()
      const test = { hash: hashOfToken(token), siteId, at: now() }
      const nothing = { shown: null, refusedOrigin: null, identityRefused: false }
      await update((tests) => [...tests.slice(1 - TESTS_MAX), { ...test, ...nothing }])
      return token
    },

    /** Returns the results so far. Throws an AppError `not-found` for an unknown or old token. */
    async find(_admin: AdminCaller, siteId: string, token: string): Promise<SiteTest> {
      const stored = await storage.documents.read<StoredTest[]>(DOCUMENT)
      const test = stored?.value.find((each) => each.hash === hashOfToken(token))
      if (test === undefined || test.siteId !== siteId || now() - test.at > OPEN_MS) throw unknownTest()
      const { shown, refusedOrigin, identityRefused } = test
      return { shown, refusedOrigin, identityRefused }
    },

    /**
     * Stores what the frame reports, once. Throws an AppError `not-found` as `find` does, and if there already is a
     * report.
     */
    async report(siteId: string, { token, origin, storage: hasStorage }: SiteTestReport): Promise<void> {
      const shown = { origin, storage: hasStorage }
      if (!(await note({ siteId, token }, { shown }, (test) => test.shown === null))) throw unknownTest()
    },

    /** Notes that a page of this origin asked for the frame of a test and may not show it. Never rejects. */
    async framingRefused(siteId: string, token: string, refusedOrigin: string): Promise<void> {
      if (refusedOrigin.length > SITE_TEST_ORIGIN_MAX) return
      await note({ siteId, token }, { refusedOrigin }).catch(() => {})
    },

    /** Notes that a visitor's token was refused in the frame of a test. Never rejects. */
    async identityRefused(siteId: string, token: string): Promise<void> {
      await note({ siteId, token }, { identityRefused: true }).catch(() => {})
    },
  }
}

export type SiteTests = ReturnType<typeof createSiteTests>

const unknownTest = () => new AppError('not-found', 'This test has ended. Start it again.')
