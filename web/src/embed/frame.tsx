// This is the page in a site's frame. It shows nothing before the page around it has sent a hello.

import { embedPaths } from '@proctorpass/shared/embed'
import type { SiteTestReport } from '@proctorpass/shared/schemas/site'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { loadLanguage } from '../chat/language/language.ts'
import { callApi } from '../lib/api.ts'
import { embeddedSite } from '../lib/embedded-site.ts'
import { pageState } from '../lib/page-state.ts'
import { setVisitedPage } from '../lib/visited-page.ts'
import { awaitHost, pageOf } from './host.ts'
import { SitePanel } from './site-panel.tsx'
import { createVisits } from './visits.ts'
import './frame.css'

// Site builders use sandboxes without `allow-forms`, which drop a submission before any script receives it.
document.addEventListener('click', (event) => {
  const button = event.target instanceof Element ? event.target.closest('button') : null
  const form = button?.type === 'submit' ? button.form : null
  if (form === null || event.defaultPrevented) return
  event.preventDefault()
  if (!form.noValidate && !form.reportValidity()) return
  form.dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true, submitter: button }))
})

const host = await awaitHost(pageState().site?.origins ?? [])
const { hello } = host
setVisitedPage(pageOf(host, hello.page))
const visits = createVisits(host)
visits.begin(hello)
if (hello.test !== null) void reportTest(hello.test, host.origin)
showColors()
void loadLanguage(hello.locale)
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <SitePanel host={host} visits={visits} />
  </StrictMode>,
)

function showColors(): void {
  const { style } = document.documentElement
  for (const [name, value] of Object.entries(pageState().site?.colors ?? {})) style.setProperty(name, value)
}

/** Tells the dashboard that the frame is shown, for an admin who tests the site with this token. */
async function reportTest(token: string, origin: string): Promise<void> {
  const body: SiteTestReport = { token, origin, storage: hasStorage() }
  // If the tested page is reloaded, its test may have ended, so a failure is ignored.
  await callApi(embedPaths.test(embeddedSite ?? ''), { method: 'POST', body }).catch(() => {})
}

function hasStorage(): boolean {
  // The constant is inside the function, because the frame's script calls this before it has run to its end.
  const PROBE = 'chat:test'
  try {
    localStorage.setItem(PROBE, PROBE)
    const isKept = localStorage.getItem(PROBE) === PROBE
    localStorage.removeItem(PROBE)
    return isKept
  } catch {
    return false
  }
}
