import { AppError } from '@proctorpass/shared/errors'
import { paths } from '@proctorpass/shared/paths'
import type { Resumed } from '@proctorpass/shared/schemas/link'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router-dom'
import { BrandMark } from '../components/brand-mark.tsx'
import { Spinner } from '../components/spinner.tsx'
import { SupportMail } from '../components/support-mail.tsx'
import { callApi } from '../lib/api.ts'
import { errorMessage } from '../lib/error-message.ts'
import { useLiveChat } from '../lib/live-chat-store.ts'
import { useSiteConfig } from '../lib/site-config.ts'
import './login.css'

/**
 * Where a mailed link leads. It waits for a click, because mail scanners open links. The token is behind the `#`:
 * browsers do not send it to servers.
 */
export function ContinuePage() {
  const { brand } = useSiteConfig()
  const navigate = useNavigate()
  const token = useToken()
  /** Resumed, while this device has another conversation. */
  const [resumed, setResumed] = useState<Resumed | null>(null)
  const call = useCall()

  function openChat(): void {
    useLiveChat.getState().setOpen(true)
    navigate('/', { replace: true })
  }

  const handleContinue = () =>
    call.run(async () => {
      const [found, { adoptVisitor, hasOtherConversation }] = await Promise.all([
        callApi<Resumed>(paths.chatResume, { method: 'POST', body: { token } }),
        import('../chat/widget/adopt-visitor.ts'),
      ])
      if (hasOtherConversation(found.clientId)) return setResumed(found)
      await adoptVisitor(found)
      openChat()
    })

  async function handleReplace(found: Resumed): Promise<void> {
    const { adoptVisitor } = await import('../chat/widget/adopt-visitor.ts')
    await adoptVisitor(found)
    openChat()
  }

  if (token === '' || call.isRefused) return <DeadLink takesFocus={call.isRefused} />
  if (resumed !== null) {
    return (
      <MailedLink key="choice" title="This device has another conversation" takesFocus>
        <p>If you continue the one from the email, the other one can no longer be opened on this device.</p>
        <button type="button" className="button" onClick={() => call.run(() => handleReplace(resumed))}>
          Continue the one from the email
        </button>
        <button type="button" className="link-button" onClick={openChat}>
          Keep the one on this device
        </button>
        <Failure text={call.failure} />
      </MailedLink>
    )
  }
  return (
    <MailedLink title="Your conversation">
      <p>
        This opens your conversation with {brand} on this device. Other devices where it is open keep working.
      </p>
      <button type="button" className="button" disabled={call.isRunning} onClick={handleContinue}>
        {call.isRunning && <Spinner />}
        Continue this conversation
      </button>
      <Failure text={call.failure} />
    </MailedLink>
  )
}

/** Where the last link of a mail leads. */
export function UnsubscribePage() {
  const { brand } = useSiteConfig()
  const token = useToken()
  const [done, setDone] = useState(false)
  const call = useCall()
  const handleUnsubscribe = () =>
    call.run(async () => {
      await callApi(paths.chatUnsubscribe(token), { method: 'POST' })
      setDone(true)
    })

  if (token === '' || call.isRefused) return <DeadLink takesFocus={call.isRefused} />
  if (done) {
    return (
      <MailedLink key="done" title="Unsubscribed" takesFocus>
        <p>You won't get more emails about this conversation. The replies are still in the chat.</p>
        <p>
          <Link to="/">Go to the home page</Link>
        </p>
      </MailedLink>
    )
  }
  return (
    <MailedLink title="Unsubscribe">
      <p>Stop emails about your conversation with {brand}?</p>
      <button type="button" className="button" disabled={call.isRunning} onClick={handleUnsubscribe}>
        {call.isRunning && <Spinner />}
        Unsubscribe
      </button>
      <Failure text={call.failure} />
    </MailedLink>
  )
}

/** The part of the address behind the `#`, which leaves the address bar and the history. */
function useToken(): string {
  const [token] = useState(() => window.location.hash.slice(1))
  useEffect(() => {
    if (window.location.hash !== '') {
      window.history.replaceState(window.history.state, '', window.location.pathname)
    }
  }, [])
  return token
}

function useCall() {
  const [isRunning, setRunning] = useState(false)
  const [isRefused, setRefused] = useState(false)
  const [failure, setFailure] = useState<string | null>(null)
  async function run(work: () => Promise<unknown>): Promise<void> {
    setRunning(true)
    setFailure(null)
    try {
      await work()
    } catch (error) {
      const isDead =
        error instanceof AppError && (error.code === 'not-found' || error.code === 'invalid-input')
      if (isDead) setRefused(true)
      else setFailure(errorMessage(error))
    }
    setRunning(false)
  }
  return { run, isRunning, isRefused, failure }
}

function DeadLink({ takesFocus }: { takesFocus: boolean }) {
  return (
    <MailedLink title="This link doesn't work" takesFocus={takesFocus}>
      <p>
        It is unknown or too old. Links to a conversation work for 7 days. Open the newest email from us, or
        write to <SupportMail />.
      </p>
      <p>
        <Link to="/">Go to the home page</Link>
      </p>
    </MailedLink>
  )
}

interface MailedLinkProps {
  title: string
  /** The button that had the focus is gone. */
  takesFocus?: boolean
  children: ReactNode
}

function MailedLink({ title, takesFocus = false, children }: MailedLinkProps) {
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [takesFocus])
  return (
    <main id="main" tabIndex={-1} className="login">
      <BrandMark />
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children}
    </main>
  )
}

function Failure({ text }: { text: string | null }) {
  return (
    <p className="login-refusal" role="alert">
      {text}
    </p>
  )
}
