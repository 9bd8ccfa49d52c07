import { accountPaths } from '@proctorpass/shared/account-paths'
import type { Session, SessionList } from '@proctorpass/shared/schemas/account'
import { useQuery } from '@tanstack/react-query'
import { errorMessage } from '../../lib/error-message.ts'
import { callAsAdmin } from '../../lib/session.ts'
import { DeviceIcon } from '../ui/device-icon.tsx'
import { Group } from '../ui/group.tsx'
import { Loading } from '../ui/loading.tsx'
import { useDelete } from '../ui/use-delete.tsx'

export const SESSIONS = ['sessions']

const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** Lists where the admin is signed in: first this browser, then the other sessions by sign-in. */
export function Sessions() {
  const { data, error, isPending } = useQuery({
    queryKey: SESSIONS,
    queryFn: ({ signal }) => callAsAdmin<SessionList>(accountPaths.sessions, { signal }),
  })
  const { ask, dialog } = useDelete({
    title: 'End this session?',
    question: 'That browser will have to sign in again.',
    confirmLabel: 'End',
    list: SESSIONS,
  })
  const sessions = data?.sessions.toSorted((a, b) => Number(b.current) - Number(a.current))
  return (
    <Group
      id="sessions"
      title="Sessions"
      note="Where you're signed in. If you don't recognize a session, end it and change your password."
    >
      {isPending && <Loading />}
      {error && (
        <p role="alert" className="field-error">
          {errorMessage(error)}
        </p>
      )}
      <ul className="card row-list">
        {sessions?.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            onEnd={() => ask(accountPaths.session(session.id))}
          />
        ))}
      </ul>
      {dialog}
    </Group>
  )
}

function SessionRow({ session, onEnd }: { session: Session; onEnd: () => void }) {
  const { device, network, since, lastUsedAt, current } = session
  const name = device ?? 'Unknown device'
  const at = (time: string) => <time dateTime={time}>{DAY_AND_TIME.format(new Date(time))}</time>
  return (
    <li>
      <DeviceIcon name={name} />
      <div>
        <b>{name}</b>
        {current && ' (this browser)'}
        <p className="field-hint">{network === null ? 'Unknown network' : `Network ${network}`}</p>
        <p className="field-hint">
          Signed in {at(since)}, last used {at(lastUsedAt)}
        </p>
      </div>
      {!current && (
        <button type="button" className="button button-s button-quiet button-red" onClick={onEnd}>
          End{' '}
          <span className="visually-hidden">
            the {name} session from {DAY_AND_TIME.format(new Date(since))}
          </span>
        </button>
      )}
    </li>
  )
}
