import { AppError } from '@proctorpass/shared/errors'
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
  /** A page of this origin asked for the frame and may not show it. Never rejects. */
  framingRefused(siteId: string, origin: string): Promise<void>
  /** A token of the site was refused. Never rejects. */
  identityRefused(siteId: string): Promise<void>
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

  async function note(siteId: string, fact: Partial<SiteTest>): Promise<void> {
    const noted = update((tests) =>
      tests.some((test) => test.siteId === siteId)
        ? tests.map((test) => (test.siteId === siteId ? { ...test, ...fact } : test))
        : null,
    )
    await noted.catch(() => {})
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
      const hash = hashOfToken(token)
      const isTheirs = (test: StoredTest) =>
        test.hash === hash && test.siteId === siteId && test.shown === null
      const shown = { origin, storage: hasStorage }
      const done = await update((tests) =>
        tests.some(isTheirs) ? tests.map((test) => (isTheirs(test) ? { ...test, shown } : test)) : null,
      )
      if (!done) throw unknownTest()
    },

    framingRefused: (siteId, refusedOrigin) => note(siteId, { refusedOrigin }),
    identityRefused: (siteId) => note(siteId, { identityRefused: true }),
  }
}

const unknownTest = () => new AppError('not-found', 'This test is over. Start it again.')
