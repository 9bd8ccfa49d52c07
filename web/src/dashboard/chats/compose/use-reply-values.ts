import { useSiteConfig } from '../../../lib/site-config.ts'
import { examTime, type ReplyValues } from '../../ui/fill-reply.ts'
import { useTeam } from '../../ui/team.ts'
import { useVisitor } from '../live/use-visitor.ts'

/** Returns the values of a canned reply's variables for this visitor. A time depends on the text's language. */
export function useReplyValues(clientId: string): ReplyValues {
  const { brand, supportEmail } = useSiteConfig()
  const own = useTeam().find(({ you }) => you)
  const { visitor } = useVisitor(clientId)
  return (variable, text) => {
    switch (variable) {
      case 'visitor.name':
        return visitor?.name ?? null
      case 'admin.name':
        // Visitors must not learn the name with which the admin signs in.
        return own?.displayName ?? null
      case 'brand':
        return brand
      case 'supportEmail':
        return supportEmail
      case 'exam.time':
        return visitor === undefined ? null : examTime(visitor, text)
    }
  }
}
