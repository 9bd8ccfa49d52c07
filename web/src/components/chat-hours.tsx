import { useContext } from 'react'
import { ChatHoursContext } from '../lib/chat-hours.ts'
import { hoursLines } from './hours-lines.ts'

/** Nothing while the hours are unknown. */
export function ChatHours({ className }: { className?: string }) {
  const hours = useContext(ChatHoursContext)
  if (hours === undefined) return null
  return (
    <ul className={className} aria-label="Chat hours">
      {hoursLines(hours).map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}
