import { AlarmClock } from 'virtual:icons'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { useClockText } from '../../../chat/view/relative-clock.tsx'
import { Icon } from '../../../components/icon.tsx'
import { siteName, useSites } from '../../ui/sites.ts'
import { blockText } from '../changes/block-text.ts'
import { snoozeTime } from '../changes/snooze-times.ts'
import { examLabel, examTone } from '../live/exam.ts'
import { useViewers, ViewerNames } from '../live/viewers.tsx'

const LABELS_SHOWN = 3
/** The list does not show an exam that is further ahead. */
const EXAM_AHEAD_MS = 7 * 86_400_000
/** Visitors may still need help after their exam has begun. */
const EXAM_PAST_MS = 6 * 3_600_000

/** Shows a conversation's website, exam, status, block, labels, and viewers. Most rows have none of these. */
export function RowDetails({
  conversation,
  update,
}: {
  conversation: ConversationSummary
  /** What this admin has not seen, such as a mention. */
  update: string | undefined
}) {
  const { clientId, labels, status, snoozedUntil, visitor, site, blockedUntil = null } = conversation
  const sites = useSites()
  const viewers = useViewers(clientId)
  const more = labels.slice(LABELS_SHOWN)
  const isPlain = labels.length + viewers.length === 0 && status === 'open' && visitor.examAt === null
  if (isPlain && site === null && update === undefined && blockedUntil === null) return null
  return (
    <span className="row-details">
      {update !== undefined && (
        <span className="chip" data-tone="green">
          {update}
        </span>
      )}
      {site !== null && (
        <span className="chip">
          <span className="visually-hidden">Website: </span>
          <bdi>{siteName(sites, site)}</bdi>
        </span>
      )}
      {visitor.examAt !== null && <ExamDetail examAt={visitor.examAt} />}
      {status === 'snoozed' && snoozedUntil !== null && <SnoozeDetail until={snoozedUntil} />}
      {viewers.length > 0 && (
        <span className="chip">
          <ViewerNames userIds={viewers} /> looking
        </span>
      )}
      {blockedUntil !== null && <BlockDetail until={blockedUntil} />}
      {status === 'resolved' && <span className="chip">Resolved</span>}
      {status === 'spam' && <span className="chip">Spam</span>}
      {labels.slice(0, LABELS_SHOWN).map((label) => (
        <span key={label} className="chip row-label">
          <span className="visually-hidden">Label: </span>
          <bdi>{label}</bdi>
        </span>
      ))}
      {more.length > 0 && (
        <span className="chip" title={more.join(', ')}>
          +{more.length}
          <span className="visually-hidden"> labels: {more.join(', ')}</span>
        </span>
      )}
    </span>
  )
}

function ExamDetail({ examAt }: { examAt: string }) {
  const text = useClockText((now) => {
    const left = Date.parse(examAt) - now
    return left > EXAM_AHEAD_MS || left < -EXAM_PAST_MS ? '' : examLabel(examAt, now)
  })
  const tone = useClockText((now) => examTone(examAt, now) ?? '')
  if (text === '') return null
  const [, words = '', time = text] = /^(Exam in )(.+)$/.exec(text) ?? []
  return (
    <span className="chip" data-tone={tone || undefined}>
      {tone !== '' && <Icon of={AlarmClock} />}
      <span>
        <span className="row-wide-words">{words}</span>
        {time}
      </span>
    </span>
  )
}

function SnoozeDetail({ until }: { until: string }) {
  return <span className="chip">Snoozed until {useClockText((now) => snoozeTime(until, now))}</span>
}

function BlockDetail({ until }: { until: string }) {
  const text = useClockText((now) => blockText(until, now))
  if (text === '') return null
  const end = text.includes(', ') ? text.lastIndexOf(', ') : text.length
  return (
    <span className="chip" data-tone="red">
      <span>
        {text.slice(0, end)}
        <span className="row-wide-words">{text.slice(end)}</span>
      </span>
    </span>
  )
}
