import { isReplyVariable, partsOf, type ReplyVariable } from '@proctorpass/shared/reply-text'
import { useState } from 'react'
import { useSiteConfig } from '../../lib/site-config.ts'
import { examTime } from '../ui/fill-reply.ts'
import { useTeam } from '../ui/team.ts'

const DAY_MS = 86_400_000

/** Shows a canned reply as an example visitor would read it. */
export function ReplyPreview({ text }: { text: string }) {
  const { brand, supportEmail } = useSiteConfig()
  const own = useTeam().find(({ you }) => you)
  const [tomorrow] = useState(() => new Date(Date.now() + DAY_MS).toISOString())
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const values: Record<ReplyVariable, string | null> = {
    'visitor.name': 'Sam',
    'admin.name': own?.displayName ?? '[your name]',
    brand,
    supportEmail,
    'exam.time': examTime({ examAt: tomorrow, timeZone, locale: navigator.language }, text),
  }
  let at = 0
  return (
    <section className="reply-preview" aria-label="Preview">
      <p className="field-hint">Preview, for a visitor named Sam with an exam tomorrow</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls */}
      <p className="long-text" dir="auto" tabIndex={0}>
        {partsOf(text).map((part) => {
          at += 1
          if ('text' in part) return part.text
          const value = isReplyVariable(part.variable) ? values[part.variable] : null
          return <mark key={at}>{value || `{{${part.variable}}}`}</mark>
        })}
      </p>
    </section>
  )
}
