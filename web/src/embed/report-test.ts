import { embedPaths } from '@proctorpass/shared/embed'
import type { SiteTestReport } from '@proctorpass/shared/schemas/site'
import { callApi } from '../lib/api.ts'
import { embeddedSite } from '../lib/embedded-site.ts'

const PROBE = 'chat:test'

/** Tells the dashboard that the frame is shown, for an admin who tests the site with this token. */
export async function reportTest(token: string, origin: string): Promise<void> {
  const body: SiteTestReport = { token, origin, storage: hasStorage() }
  // Of a reload of the tested page.
  await callApi(embedPaths.test(embeddedSite ?? ''), { method: 'POST', body }).catch(() => {})
}

function hasStorage(): boolean {
  try {
    localStorage.setItem(PROBE, PROBE)
    const isKept = localStorage.getItem(PROBE) === PROBE
    localStorage.removeItem(PROBE)
    return isKept
  } catch {
    return false
  }
}
