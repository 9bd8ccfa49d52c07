import { aliasOf } from '@proctorpass/shared/alias'
import { Link } from 'react-router'

/** Opens the conversation, and names it as the list of conversations does. */
export function VisitorLink({ clientId, name }: { clientId: string; name: string | null }) {
  return (
    <Link to={`/dashboard/messages/${clientId}`}>
      <bdi>{name ?? aliasOf(clientId)}</bdi>
    </Link>
  )
}
