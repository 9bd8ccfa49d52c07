import type { ShownAdmin } from '@proctorpass/shared/schemas/config'
import { useState } from 'react'
import { useLanguage } from '../language/language.ts'
import './team.css'

/** Renders who is on duty, for the panel's head. */
export const head = ({ team }: { team: readonly ShownAdmin[] }) => team.length > 0 && <Team admins={team} />

/** Shows overlapping faces, and the names beside them. */
function Team({ admins }: { admins: readonly ShownAdmin[] }) {
  const locale = useLanguage((language) => language.locale)
  const names = admins.map(({ name }) => name)
  return (
    <div className="chat-team">
      {/* biome-ignore lint/a11y/noRedundantRoles: Safari takes a list without markers for none */}
      <ul role="list">
        {admins.map((admin) => (
          <li key={`${admin.name} ${admin.face}`}>
            <Face {...admin} />
          </li>
        ))}
      </ul>
      {/* The faces say the names, too. */}
      <p className="chat-team-names" aria-hidden="true">
        {new Intl.ListFormat(locale)
          .formatToParts(names)
          .map(({ type, value }, at) => (type === 'literal' ? value : <bdi key={at}>{value}</bdi>))}
      </p>
    </div>
  )
}

/** Shows the picture or, without one and while it cannot be loaded, the name's first letter. */
function Face({ name, face }: ShownAdmin) {
  const [failed, setFailed] = useState<string | null>(null)
  return face && face !== failed ? (
    <img className="chat-face" src={face} alt={name} width={28} height={28} onError={() => setFailed(face)} />
  ) : (
    <span className="chat-face" role="img" aria-label={name}>
      {[...name][0]?.toUpperCase()}
    </span>
  )
}
