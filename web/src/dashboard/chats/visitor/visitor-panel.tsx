import { AlarmClock, Pencil, Trash2 } from 'virtual:icons'
import { aliasOf } from '@proctorpass/shared/alias'
import { isTimeZone } from '@proctorpass/shared/hours'
import type { Visitor } from '@proctorpass/shared/schemas/inbox'
import { type ReactNode, useEffect, useId, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { RelativeTime, useClockText } from '../../../chat/view/relative-clock.tsx'
import { Icon } from '../../../components/icon.tsx'
import { errorMessage } from '../../../lib/error-message.ts'
import { Avatar } from '../../ui/avatar.tsx'
import { Loading } from '../../ui/loading.tsx'
import { mailTo } from '../../ui/mail-to.ts'
import { onDemand } from '../../ui/on-demand.tsx'
import { siteName, useSites } from '../../ui/sites.ts'
import { useVisitorOnline } from '../live/admin-chat-context.tsx'
import { examLabel } from '../live/exam.ts'
import { timeLocale } from '../live/times-language.ts'
import { useVisitor } from '../live/use-visitor.ts'
import { VisitorForm } from './visitor-form.tsx'
import { VisitorHistory } from './visitor-history.tsx'
import { dayAndTime, ownTimeZone, sameClock, timeNow } from './zoned-time.ts'
import './visitor-panel.css'

/** Shows the visitor's data as a region of the page. Pass `key={clientId}`. */
export function VisitorPanel({ clientId }: { clientId: string }) {
  const id = useId()
  return (
    <section className="visitor-panel" aria-labelledby={id}>
      <h2 id={id}>Visitor</h2>
      <VisitorDetails clientId={clientId} />
    </section>
  )
}

/** Shows the same data without a heading, for a dialog. Pass `key={clientId}`. */
export function VisitorDetails({ clientId }: { clientId: string }) {
  const { visitor, error, isUnknown } = useVisitor(clientId)
  const [editing, setEditing] = useState(false)
  const edit = useRef<HTMLButtonElement>(null)
  const wasEditing = useRef(false)
  useEffect(() => {
    if (wasEditing.current && !editing) edit.current?.focus()
    wasEditing.current = editing
  }, [editing])

  if (visitor === undefined) {
    if (isUnknown) return <p className="visitor-note">No details yet</p>
    return error === null ? <Loading /> : <p className="visitor-note">{errorMessage(error)}</p>
  }
  if (editing) return <VisitorForm visitor={visitor} onClose={() => setEditing(false)} />
  const hasSaid = visitor.name !== null || visitor.email !== null || visitor.examAt !== null
  return (
    <div className="visitor-details">
      <div className="visitor-head">
        <Avatar clientId={clientId} name={visitor.name ?? aliasOf(clientId)} />
        <div>
          <p className="visitor-name">
            <bdi>{visitor.name ?? aliasOf(clientId)}</bdi>
          </p>
          <p className="visitor-id">{clientId}</p>
        </div>
        <button
          ref={edit}
          type="button"
          className="icon-button"
          aria-label="Edit"
          onClick={() => setEditing(true)}
        >
          <Icon of={Pencil} />
        </button>
      </div>
      {visitor.signed !== null && <Signed signed={visitor.signed} />}
      <Facts visitor={visitor} />
      <VisitorHistory visitor={visitor} />
      {hasSaid && <p className="visitor-note">Provided by the visitor, not verified.</p>}
      <Erase clientId={clientId} />
    </div>
  )
}

const EraseDialog = onDemand(async () => (await import('../changes/conversation-data.tsx')).EraseDialog)

function Erase({ clientId }: { clientId: string }) {
  const navigate = useNavigate()
  const [asks, setAsks] = useState(false)
  return (
    <div className="visitor-erase">
      <button type="button" className="button button-quiet button-red" onClick={() => setAsks(true)}>
        <Icon of={Trash2} />
        Erase this conversation
      </button>
      {asks && (
        <EraseDialog
          onFailed={() => setAsks(false)}
          clientId={clientId}
          onClose={() => setAsks(false)}
          onErased={() => void navigate('/dashboard/chats')}
        />
      )}
    </div>
  )
}

/** Shows for whom a website vouches, separately from what the visitor says. */
function Signed({ signed: { sub, name, email, site } }: { signed: NonNullable<Visitor['signed']> }) {
  const sites = useSites()
  return (
    <section className="visitor-signed">
      <h3>
        Signed by <bdi>{siteName(sites, site)}</bdi>
      </h3>
      <dl className="visitor-facts">
        {name !== null && (
          <Fact name="Name">
            <bdi>{name}</bdi>
          </Fact>
        )}
        {email !== null && (
          <Fact name="Email" wide>
            <a href={mailTo(email)}>
              <bdi>{email}</bdi>
            </a>
          </Fact>
        )}
        <Fact name="Account" wide>
          <bdi>{sub}</bdi>
        </Fact>
      </dl>
    </section>
  )
}

function Facts({ visitor }: { visitor: Visitor }) {
  const { email, examAt, device, page, referrer, locale, firstSeenAt, blockedUntil, site, pages } = visitor
  const sites = useSites()
  const zone = visitor.timeZone !== null && isTimeZone(visitor.timeZone) ? visitor.timeZone : null
  return (
    <dl className="visitor-facts">
      {blockedUntil !== null && (
        <Fact name="Blocked">
          <strong className="visitor-blocked">
            {blockedUntil === 'forever'
              ? 'Permanently'
              : `Until ${dayAndTime(blockedUntil, ownTimeZone(), timeLocale())}`}
          </strong>
        </Fact>
      )}
      {examAt !== null && (
        <Fact name="Exam" wide kind="exam">
          <ExamTime examAt={examAt} zone={zone} />
        </Fact>
      )}
      {email !== null && (
        <Fact name="Email">
          <a href={mailTo(email)}>
            <bdi>{email}</bdi>
          </a>
        </Fact>
      )}
      {zone !== null && (
        <Fact name="Local time">
          <LocalTime zone={zone} />
        </Fact>
      )}
      <Fact name="Last seen">
        <LastSeen visitor={visitor} />
      </Fact>
      <Fact name="First seen">
        <RelativeTime iso={firstSeenAt} />
      </Fact>
      {locale !== null && <Fact name="Language">{languageOf(locale)}</Fact>}
      {device !== null && <Fact name="Device">{device}</Fact>}
      {site !== null && (
        <Fact name="Website">
          <bdi>{siteName(sites, site)}</bdi>
        </Fact>
      )}
      {page !== null && page !== pages.at(-1)?.path && (
        <Fact name="Page" wide={page.startsWith('http')}>
          <bdi>{page.replace(/^https?:\/\//, '')}</bdi>
        </Fact>
      )}
      {referrer !== null && (
        <Fact name="Came from">
          <bdi>{referrer.replace(/^https?:\/\//, '')}</bdi>
        </Fact>
      )}
    </dl>
  )
}

interface FactProps {
  name: string
  /** Whether the name is above its value. */
  wide?: boolean
  kind?: 'exam'
  children: ReactNode
}

function Fact({ name, wide = false, kind, children }: FactProps) {
  return (
    <div data-wide={wide} data-kind={kind}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** Shows the time until the exam, and the exam's time on both clocks if they differ. */
function ExamTime({ examAt, zone }: { examAt: string; zone: string | null }) {
  const label = useClockText((now) => examLabel(examAt, now))
  const own = ownTimeZone()
  const at = (timeZone: string) => <time dateTime={examAt}>{dayAndTime(examAt, timeZone, timeLocale())}</time>
  const differs = zone !== null && !sameClock(Date.parse(examAt), zone, own)
  return (
    <>
      <strong className="visitor-exam">
        <Icon of={AlarmClock} />
        {label}
      </strong>
      {differs && <span className="visitor-line">{at(zone)} their time</span>}
      <span className="visitor-line">
        {at(own)}
        {differs && ' your time'}
        {zone === null && ' your time; their time zone is unknown'}
      </span>
    </>
  )
}

function LocalTime({ zone }: { zone: string }) {
  const time = useClockText((now) => timeNow(now, zone, timeLocale()))
  return (
    <>
      {time}
      <span className="visitor-line">{zone.replaceAll('_', ' ')}</span>
    </>
  )
}

function LastSeen({ visitor: { clientId, online, lastSeenAt } }: { visitor: Visitor }) {
  const pushed = useVisitorOnline(clientId)
  return (pushed ?? online) ? (
    <span className="visitor-online">Online</span>
  ) : (
    <RelativeTime iso={lastSeenAt} />
  )
}

/** Returns a language such as "German (Switzerland)". */
function languageOf(locale: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(locale) ?? locale
  } catch {
    return locale
  }
}
