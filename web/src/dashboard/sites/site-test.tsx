import { adminPaths } from '@proctorpass/shared/admin-paths'
import type { Site, SiteTest, SiteTestToken } from '@proctorpass/shared/schemas/site'
import { isOriginOf } from '@proctorpass/shared/site-origins'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { Field } from '../ui/field.tsx'

const POLL_MS = 1_000
/** If a page has shown nothing after this time, it has no tag. */
const SILENT_MS = 20_000

interface Running {
  token: string
  beganAt: number
}

/** Opens one of the website's pages in this browser, and says what the chat did there. */
export function SiteTestPart({ site }: { site: Site }) {
  const [address, setAddress] = useState(site.origins.find((origin) => !origin.includes('*')) ?? '')
  const [problem, setProblem] = useState<string>()
  const [running, setRunning] = useState<Running | null>(null)

  async function handleStart(): Promise<void> {
    const url = URL.parse(address)
    if (url === null || !isOriginOf(site.origins, url.origin)) {
      setProblem('Enter the address of a page of this website')
      return
    }
    setProblem(undefined)
    // The page opens before the first `await`, because browsers would treat a later one as a pop-up.
    const page = window.open('about:blank', '_blank')
    try {
      const path = adminPaths.siteTest(site._id)
      const { token } = await callAsAdmin<SiteTestToken>(path, { method: 'POST' })
      url.hash = `proctorpass-test=${token}`
      if (page === null) {
        setProblem('Your browser blocked the new tab. Allow pop-ups on this page, then start again.')
        return
      }
      page.opener = null
      page.location.href = url.href
      setRunning({ token, beganAt: Date.now() })
    } catch (error) {
      page?.close()
      setProblem(errorMessage(error))
    }
  }

  return (
    <div className="site-test">
      <h3>Test this site</h3>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void handleStart()
        }}
      >
        <Field label="Address of a page" error={problem}>
          {(shared) => (
            <input
              {...shared}
              type="url"
              value={address}
              autoComplete="off"
              onChange={(event) => setAddress(event.target.value)}
            />
          )}
        </Field>
        <button type="submit" className="button">
          Test this site
        </button>
      </form>
      {running !== null && <Result key={running.token} site={site} running={running} />}
    </div>
  )
}

function Result({ site, running: { token, beganAt } }: { site: Site; running: Running }) {
  const { data, error, dataUpdatedAt } = useQuery({
    queryKey: ['site-test', token],
    queryFn: ({ signal }) => callAsAdmin<SiteTest>(adminPaths.siteTestResult(site._id, token), { signal }),
    refetchInterval: ({ state: { data: known } }) => (known?.shown ? 5_000 : POLL_MS),
    // The tested page covers this page, which must still be updated.
    refetchIntervalInBackground: true,
  })
  const words = error ? errorMessage(error) : resultWords(data, dataUpdatedAt - beganAt, site)
  return (
    <p role="status" className="work-note">
      {words}
    </p>
  )
}

function resultWords(test: SiteTest | undefined, waitedMs: number, site: Site): string {
  if (!site.enabled) return 'The chat is turned off for this website. Enable it, then start again.'
  if (test?.shown) {
    if (!test.shown.storage) {
      return "Storage blocked: the browser doesn't let the chat store anything there, so reloading the page loses the conversation."
    }
    if (test.identityRefused) {
      return "Identity refused: the chat works, but your server sent an invalid token. This server's log says why."
    }
    return `All well: the chat works on ${test.shown.origin}.`
  }
  if (test?.refusedOrigin) {
    return `Framing refused: ${test.refusedOrigin} isn't one of the addresses above. Add it, then start again.`
  }
  if (waitedMs < SILENT_MS) return 'Waiting for the page …'
  return "No tag seen: the page doesn't have this website's tag, or its Content-Security-Policy blocks it. Compare both with the lines above."
}
