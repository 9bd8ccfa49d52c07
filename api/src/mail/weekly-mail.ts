import { durationText, shown } from '@proctorpass/shared/duration-text'
import type { ReportFigures } from '@proctorpass/shared/schemas/report'
import { type MailBody, mailBody } from './mail-body.ts'

interface WeeklyMail {
  brand: string
  publicUrl: string
  /** The first and the last day, as `YYYY-MM-DD`, in `zone`. */
  week: { from: string; to: string; zone: string }
  totals: ReportFigures
  unsubscribeUrl: string
}

const dayText = (date: string) =>
  new Date(date).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' })

/** Writes the mail with a week's figures, as Reports shows them. */
export function weeklyMail({
  brand,
  publicUrl,
  week,
  totals,
  unsubscribeUrl,
}: WeeklyMail): MailBody & { subject: string } {
  const { n, mean } = totals.ratings
  const lines = [
    `Conversations: ${totals.conversations}`,
    `Messages from visitors: ${totals.messagesIn}`,
    `Messages to visitors: ${totals.messagesOut}`,
    `Resolved: ${totals.resolved}`,
    `Missed: ${totals.missed}`,
    `Median first response time: ${durationText(shown(totals.firstWait, 'median'))}`,
    `Rating, 1 to 5: ${mean === null ? '–' : `${mean} (${n === 1 ? '1 rating' : `${n} ratings`})`}`,
  ]
  const values = { brand, from: dayText(week.from), to: dayText(week.to), zone: week.zone }
  const body = mailBody(
    [
      { words: 'This is the week in the {brand} live chat from {from} to {to}, in {zone} time.', values },
      { lines },
      { label: 'Open Reports', url: `${publicUrl}/dashboard/reports?${new URLSearchParams(week)}` },
      { words: 'You get this email because you turned on the weekly email in your account.' },
      { label: 'Unsubscribe', url: unsubscribeUrl },
      { words: 'Replies to this email are not read.' },
    ],
    { lang: 'en', dir: 'ltr' },
  )
  return { ...body, subject: `${brand}: your week from ${values.from}` }
}
