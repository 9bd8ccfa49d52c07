import { AppError } from '@proctorpass/shared/errors'
import { SITE_TEST_ORIGIN_MAX } from '@proctorpass/shared/limits'
import type { SiteTest, SiteTestReport } from '@proctorpass/shared/schemas/site'
import type { AdminCaller } from '../auth/caller.ts'
import { hashOfToken, randomToken } from '../auth/session-tokens.ts'
import type { Storage } from '../storage/port/storage.ts'
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

/** "Test this site": what happened on a page that an admin opened with a token in its address. */
export interface SiteTests {
  /** The token of a new test. */
  begin(admin: AdminCaller, siteId: string): Promise<string>
  /** The results so far. Throws AppError `not-found` for an unknown or old token. */
  find(admin: AdminCaller, siteId: string, token: string): Promise<SiteTest>
  /** What the frame says, once. Throws AppError `not-found` as `find` does, and when it was said. */
  report(siteId: string, report: SiteTestReport): Promise<void>
  /** A page of this origin asked for the frame of a test and may not show it. Never rejects. */
  framingRefused(siteId: string, token: string, origin: string): Promise<void>
  /** A visitor's token was refused in the frame of a test. Never rejects. */
  identityRefused(siteId: string, token: string): Promise<void>
}

interface SiteTestsDeps {
  storage: Pick<Storage, 'documents'>
  sites: Pick<Sites, 'find'>
  now: () => number
}

export function createSiteTests({ storage, sites, now }: SiteTestsDeps): SiteTests {
  /** Repeated when another call changed them meanwhile. `change` answers null when there is nothing to change. */
  async function update(change: (tests: readonly StoredTest[]) => StoredTest[] | null): Promise<boolean> {
    for (;;) {
      const stored = await storage.documents.read<StoredTest[]>(DOCUMENT)
      const open = (stored?.value ?? []).filter(({ at }) => Math.abs(now() - at) < OPEN_MS)
      const changed = change(open)
      if (changed === null) return false
      if (await storage.documents.write(DOCUMENT, changed, stored?.version ?? 0)) return true
    }
  }

  /** Strangers do not know the token, so what an admin reads is of their own test. False for another token. */
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
    async begin(_admin, siteId) {
      if ((await sites.find(siteId)) === null) throw new AppError('not-found', 'Website not found.')
      const token = randomToken()
      const test = { hash: hashOfToken(token), siteId, at: now() }
      const nothing = { shown: null, refusedOrigin: null, identityRefused: false }
      await update((tests) => [...tests.slice(1 - TESTS_MAX), { ...test, ...nothing }])
      return token
    },

    async find(_admin, siteId, token) {
      const stored = await storage.documents.read<StoredTest[]>(DOCUMENT)
      const test = stored?.value.find((each) => each.hash === hashOfToken(token))
      if (test === undefined || test.siteId !== siteId || now() - test.at > OPEN_MS) throw unknownTest()
      const { shown, refusedOrigin, identityRefused } = test
      return { shown, refusedOrigin, identityRefused }
    },

    async report(siteId, { token, origin, storage: hasStorage }) {
      const shown = { origin, storage: hasStorage }
      if (!(await note({ siteId, token }, { shown }, (test) => test.shown === null))) throw unknownTest()
    },

    async framingRefused(siteId, token, refusedOrigin) {
      if (refusedOrigin.length > SITE_TEST_ORIGIN_MAX) return
      await note({ siteId, token }, { refusedOrigin }).catch(() => {})
    },

    async identityRefused(siteId, token) {
      await note({ siteId, token }, { identityRefused: true }).catch(() => {})
    },
  }
}

const unknownTest = () => new AppError('not-found', 'This test is over. Start it again.')
