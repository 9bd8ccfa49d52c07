import { useQuery } from '@tanstack/react-query'
import { useSiteConfig } from '../../lib/site-config.ts'
import { examTime, type ReplyValues } from '../ui/fill-reply.ts'
import { useTeam } from '../ui/team.ts'
import { visitorQuery } from './visitor-query.ts'

/**
 * The values of a canned reply's variables for this visitor; a time depends on the language of the text. The visitor is
 * read once `enabled`.
 */
export function useReplyValues(clientId: string, { enabled }: { enabled: boolean }): ReplyValues {
  const { brand, supportEmail } = useSiteConfig()
  const own = useTeam().find(({ you }) => you)
  const { data: visitor } = useQuery({ ...visitorQuery(clientId), enabled })
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
