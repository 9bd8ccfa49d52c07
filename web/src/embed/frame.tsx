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
