import { colorOf, initialsOf } from './visitor-name.ts'

/** A visitor's initial in their color. Decoration: the name stands beside it. */
export function Avatar({ clientId, name }: { clientId: string; name: string }) {
  return (
    <span className="avatar" data-color={colorOf(clientId)} aria-hidden="true">
      {initialsOf(name, 1)}
    </span>
  )
}
