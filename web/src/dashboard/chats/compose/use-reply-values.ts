import { useSiteConfig } from '../../../lib/site-config.ts'
import { examTime, type ReplyValues } from '../../ui/fill-reply.ts'
import { useTeam } from '../../ui/team.ts'
import { useVisitor } from '../live/use-visitor.ts'

/** The values of a canned reply's variables for this visitor; a time depends on the language of the text. */
export function useReplyValues(clientId: string): ReplyValues {
  const { brand, supportEmail } = useSiteConfig()
  const own = useTeam().find(({ you }) => you)
  const { visitor } = useVisitor(clientId)
  return (variable, text) => {
    switch (variable) {
      case 'visitor.name':
        return visitor?.name ?? null
      case 'admin.name':
        // The name to sign in with is no visitor's business.
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
