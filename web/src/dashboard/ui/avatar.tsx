import './avatar.css'

const initialOf = (name: string) => ([...name.trim()][0] ?? '').toUpperCase()

/** The style sheet has this many colors. */
const COLORS = 8

/** Returns the number of a person's color, which is the same wherever they are shown. */
export function colorOf(clientId: string): number {
  let sum = 0
  for (const sign of clientId) sum = (sum * 31 + (sign.codePointAt(0) ?? 0)) % 9_973
  return sum % COLORS
}

interface AvatarProps {
  /** The visitor's ID, or the admin's user ID. */
  clientId: string
  name: string
  /** Whether it is 36 px wide instead of 28. */
  large?: boolean
  /** Whether a dot says that they are online. */
  online?: boolean | null
  /** The URL of their picture. */
  face?: string | null | undefined
}

/** Shows a person's picture, or their initial in their color. It is decorative, because words beside it say the same. */
export function Avatar({ clientId, name, large = false, online, face }: AvatarProps) {
  return (
    <span
      className="avatar"
      data-color={colorOf(clientId)}
      data-large={large || undefined}
      data-online={online ?? undefined}
      aria-hidden="true"
    >
      {initialOf(name)}
      {face && <img src={face} alt="" />}
    </span>
  )
}
