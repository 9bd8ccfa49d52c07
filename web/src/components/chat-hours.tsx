import { useContext, useEffect, useState } from 'react'
import { ChatHoursContext } from '../lib/site-config.ts'

/** Renders nothing while the hours are unknown. */
export function ChatHours({ className }: { className?: string }) {
  const shown = useContext(ChatHoursContext)
  const [own, setOwn] = useState<string | null>(null)
  const hours = shown?.hours ?? null
  useEffect(() => {
    // The server does not know the visitor's zone.
    if (hours === null || hours.timeZone === new Intl.DateTimeFormat().resolvedOptions().timeZone) return
    import('../lib/own-hours-text.ts').then(
      ({ ownHoursText }) => setOwn(ownHoursText(hours, Date.now())),
      () => {},
    )
  }, [hours])
  if (!shown) return null
  return (
    <div className={className}>
      <ul aria-label="Chat hours">
        {shown.lines.map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {hours !== null && <p className="own-hours">{own}</p>}
    </div>
  )
}
