import { isReplyVariable, partsOf, type ReplyVariable } from '@proctorpass/shared/reply-text'
import { useState } from 'react'
import { useFormatting } from '../../chat/view/use-formatting.ts'
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
  const marked = (part: string) =>
    partsOf(part).map((each, at) => {
      if ('text' in each) return each.text
      const value = isReplyVariable(each.variable) ? values[each.variable] : null
      return <mark key={at}>{value || `{{${each.variable}}}`}</mark>
    })
  const formatting = useFormatting(text)
  return (
    <section className="reply-preview" aria-label="Preview">
      <p className="field-hint">Preview, for a visitor named Sam with an exam tomorrow</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls */}
      <div className="long-text" dir="auto" tabIndex={0}>
        {formatting ? <formatting.FormattedText text={text} length={null} words={marked} /> : marked(text)}
      </div>
    </section>
  )
}
