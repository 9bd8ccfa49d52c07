// The page in the frame of a site. It shows nothing before the page around it has said hello.

import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { loadLanguage } from '../chat/language/language.ts'
import { pageState } from '../lib/page-state.ts'
import { setVisitedPage } from '../lib/visited-page.ts'
import { awaitHost, pageOf } from './host.ts'
import { reportTest } from './report-test.ts'
import { SitePanel } from './site-panel.tsx'
import { createVisits } from './visits.ts'
import './frame.css'

// A sandbox without `allow-forms`, as site builders use it, drops a submission before any script hears of it.
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
void loadLanguage(hello.locale)
createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <SitePanel host={host} visits={visits} />
  </StrictMode>,
)
