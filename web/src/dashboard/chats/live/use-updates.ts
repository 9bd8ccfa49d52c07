import type { Team } from '@proctorpass/shared/schemas/team'
import type { Update } from '@proctorpass/shared/schemas/updates'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { LinkState } from '../../../chat/engine/types.ts'
import { toast } from '../../../components/toast.ts'
import { pageState } from '../../../lib/page-state.ts'
import { isRefused } from '../../ui/query-client.ts'
import { adminName, teamQuery } from '../../ui/team.ts'
import { useAdminChat } from './admin-chat-context.tsx'
import { seenMarksOf } from './seen-marks.ts'
import { updatesQuery } from './update-marks.ts'
import { subscribeToUpdates, updateAddress, updateKey } from './updates.ts'
import { visitorName } from './visitor-name.ts'

/** If there are more new updates than this at once, they share one toast. */
const TOASTS_MAX = 3

/** Returns what concerns this admin, newest first. Undefined until it is known. */
export function useUpdates(via: LinkState['via']): readonly Update[] | undefined {
  const { chat, userId, conversations } = useAdminChat()
  const queryClient = useQueryClient()
  useEffect(
    () => subscribeToUpdates({ queryClient, chat, userId, conversations }),
    [queryClient, chat, userId, conversations],
  )
  const { data } = useQuery({
    ...updatesQuery,
    select: seenMarksOf(chat).applyTo,
    refetchInterval: ({ state }) =>
      via === 'polling' && !isRefused(state.error) && pageState().config.chat.unreadPollMs,
    refetchIntervalInBackground: true,
  })
  return data?.updates
}

/** Returns a title such as "Anna mentioned you in Green Heron". */
export function updateTitle(
  { kind, clientId, by, name, assigned }: Update,
  { team, userId }: { team: Team['admins']; userId: string },
): string {
  const visitor = visitorName({ clientId, visitor: { name } })
  if (kind === 'reply') return `${visitor} wrote`
  const admin = by === null ? 'The system' : adminName(team, by, userId)
  if (kind === 'assignment') return `${admin} assigned ${visitor} to you`
  return assigned ? `${admin} assigned ${visitor} to you with a note` : `${admin} mentioned you in ${visitor}`
}

/** Shows a toast for each new mention and assignment, except in the conversation that is open. */
export function useUpdateToasts(updates: readonly Update[] | undefined): void {
  const shown = useRef<Set<string> | null>(null)
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const { userId } = useAdminChat()
  const queryClient = useQueryClient()
  const show = useEffectEvent(async (arrived: readonly Update[]) => {
    const before = shown.current
    shown.current = new Set(arrived.map(updateKey))
    if (before === null) return
    const fresh = arrived.filter(
      (update) =>
        update.kind !== 'reply' &&
        !update.isSeen &&
        !before.has(updateKey(update)) &&
        (document.hidden || pathname !== `/dashboard/messages/${update.clientId}`),
    )
    if (fresh.length === 0) return
    if (fresh.length > TOASTS_MAX) return toast.info(`${fresh.length} new notifications`)
    const { admins: team } = await queryClient.ensureQueryData(teamQuery).catch(() => ({ admins: [] }))
    for (const update of fresh.toReversed()) {
      const open = { label: 'Open', onClick: () => void navigate(updateAddress(update)) }
      toast.info(updateTitle(update, { team, userId }), { action: open })
    }
  })
  useEffect(() => {
    if (updates) void show(updates)
  }, [updates])
}
