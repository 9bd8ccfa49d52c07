import { aliasOf } from '@proctorpass/shared/alias'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'

/** Returns the name that the visitor gave, or else an alias. */
export function visitorName({
  clientId,
  visitor,
}: {
  clientId: string
  visitor: Pick<ConversationSummary['visitor'], 'name'>
}): string {
  return visitor.name ?? aliasOf(clientId)
}

/** Returns a name's first letter, or the first letter of each of two names. */
export function initialsOf(name: string, most: 1 | 2): string {
  const words = name.trim().split(/\s+/u)
  const used = most === 1 ? words.slice(0, 1) : [words[0], words.length > 1 ? words.at(-1) : '']
  return used
    .map((word) => [...(word ?? '')][0] ?? '')
    .join('')
    .toUpperCase()
}

/** The style sheet has this many colors. */
const COLORS = 8

/** Returns the number of a visitor's color, which is the same wherever they are shown. */
function colorOf(clientId: string): number {
  let sum = 0
  for (const sign of clientId) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 9_973
  return sum % COLORS
}

/** Shows a visitor's initial in their color. It is decorative, because the name is beside it. */
export function Avatar({ clientId, name }: { clientId: string; name: string }) {
  return (
    <span className="avatar" data-color={colorOf(clientId)} aria-hidden="true">
      {initialsOf(name, 1)}
    </span>
  )
}
