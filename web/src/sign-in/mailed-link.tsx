import mailed from 'virtual:words/mailed'
import { AppError } from '@proctorpass/shared/errors'
import { mailedLinkPaths } from '@proctorpass/shared/mailed-link-paths'
import type { Resume, Resumed } from '@proctorpass/shared/schemas/link'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useNavigate } from 'react-router'
import { loadLanguage, useLanguage, useWords } from '../chat/language/language.ts'
import { Spinner } from '../components/spinner.tsx'
import { SupportMail } from '../components/support-mail.tsx'
import { callApi } from '../lib/api.ts'
import { errorMessage } from '../lib/error-message.ts'
import { useLiveChat } from '../lib/live-chat-store.ts'
import { useSiteConfig } from '../lib/site-config.ts'
import { SignInShell } from './shell.tsx'

/**
 * Shows the page to which a mailed link leads. It waits for a click, because mail scanners open links. The token is
 * after the `#`, because browsers do not send that part to servers.
 */
export function ContinuePage() {
  const words = useWords('mailed', mailed)
  const navigate = useNavigate()
  const token = useToken()
  /** The conversation to resume, if this device has another conversation. */
  const [resumed, setResumed] = useState<Resumed | null>(null)
  const call = useCall()

  function openChat(): void {
    useLiveChat.getState().setOpen(true)
    navigate('/', { replace: true })
  }

  const handleContinue = () =>
    call.run(async () => {
      const { adoptVisitor, hasOtherConversation, storedKey } = await import(
        '../chat/widget/adopt-visitor.ts'
      )
      const body: Resume = { token, ...storedKey() }
      const found = await callApi<Resumed>(mailedLinkPaths.resume, { method: 'POST', body })
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
      <MailedLink key="choice" title={words.otherTitle} takesFocus>
        <p>{words.otherText}</p>
        <button
          type="button"
          className="button button-l button-primary"
          onClick={() => call.run(() => handleReplace(resumed))}
        >
          {words.replace}
        </button>
        <button type="button" className="button button-l button-quiet" onClick={openChat}>
          {words.keep}
        </button>
        <Failure text={call.failure} />
      </MailedLink>
    )
  }
  return (
    <MailedLink title={words.title}>
      <Text words={words.text} />
      <button
        type="button"
        className="button button-l button-primary"
        disabled={call.isRunning}
        onClick={handleContinue}
      >
        {call.isRunning && <Spinner />}
        {words.continue}
      </button>
      <Failure text={call.failure} />
    </MailedLink>
  )
}

/** Shows the page to which a mail's last link leads. It ends all mails to the address, or starts them again. */
export function UnsubscribePage() {
  const words = useWords('mailed', mailed)
  const token = useToken()
  const [done, setDone] = useState<'unsubscribed' | 'subscribed' | null>(null)
  const call = useCall()
  const handleUnsubscribe = () =>
    call.run(async () => {
      await callApi(mailedLinkPaths.unsubscribe(token), { method: 'POST' })
      setDone('unsubscribed')
    })
  const handleSubscribe = () =>
    call.run(async () => {
      await callApi(mailedLinkPaths.subscribe, { method: 'POST', body: { token } })
      setDone('subscribed')
    })

  if (token === '' || call.isRefused) return <DeadLink takesFocus={call.isRefused} />
  const subscribe = (
    <button
      type="button"
      className="button button-l button-quiet"
      disabled={call.isRunning}
      onClick={handleSubscribe}
    >
      {words.subscribe}
    </button>
  )
  if (done !== null) {
    return (
      <MailedLink key={done} title={words[done]} takesFocus>
        <p>{words[`${done}Text`]}</p>
        {done === 'unsubscribed' && subscribe}
        <Failure text={call.failure} />
        <p>
          <Link to="/">{words.home}</Link>
        </p>
      </MailedLink>
    )
  }
  return (
    <MailedLink title={words.unsubscribe}>
      <Text words={words.unsubscribeText} />
      <button
        type="button"
        className="button button-l button-primary"
        disabled={call.isRunning}
        onClick={handleUnsubscribe}
      >
        {call.isRunning && <Spinner />}
        {words.unsubscribe}
      </button>
      {subscribe}
      <Failure text={call.failure} />
    </MailedLink>
  )
}

/** Returns the part of the address after the `#`, and removes it from the address bar and the history. */
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
  const words = useWords('mailed', mailed)
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
      else setFailure(isUnreachable(error) ? words.unreachable : errorMessage(error, words.failed))
    }
    setRunning(false)
  }
  return { run, isRunning, isRefused, failure }
}

/** An error with a cause means that no server answered. */
const isUnreachable = (error: unknown) => error instanceof AppError && error.cause !== undefined

function DeadLink({ takesFocus }: { takesFocus: boolean }) {
  const words = useWords('mailed', mailed)
  return (
    <MailedLink title={words.deadTitle} takesFocus={takesFocus}>
      <Text words={words.deadText} />
      <p>
        <Link to="/">{words.home}</Link>
      </p>
    </MailedLink>
  )
}

interface MailedLinkProps {
  title: string
  /** Whether the heading takes the focus, because the button that had it is gone. */
  takesFocus?: boolean
  children: ReactNode
}

function MailedLink({ title, takesFocus = false, children }: MailedLinkProps) {
  const { brand } = useSiteConfig()
  const { tag, dir, ready } = useLanguage()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => void loadLanguage(), [])
  useEffect(() => {
    if (ready) document.title = `${title} · ${brand}`
  }, [title, brand, ready])
  useEffect(() => {
    if (takesFocus) heading.current?.focus()
  }, [takesFocus])
  return (
    <SignInShell lang={tag} dir={dir}>
      {/* The text is not shown in English before another language's words have loaded. */}
      {ready && (
        <>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {children}
        </>
      )}
    </SignInShell>
  )
}

/** Shows a paragraph and fills in the brand and the support address. */
function Text({ words }: { words: string }) {
  const { brand } = useSiteConfig()
  const [before = '', after] = words.replace('{brand}', brand).split('{email}')
  return (
    <p>
      {before}
      {after !== undefined && <SupportMail />}
      {after}
    </p>
  )
}

function Failure({ text }: { text: string | null }) {
  return (
    <p className="login-refusal" role="alert">
      {text}
    </p>
  )
}
