import { accountPaths } from '@proctorpass/shared/account-paths'
import { adminPaths } from '@proctorpass/shared/admin-paths'
import { paths } from '@proctorpass/shared/paths'
import type { Account } from '@proctorpass/shared/schemas/account'
import type { ConversationList, ConversationSummary } from '@proctorpass/shared/schemas/chat'
import type { Settings } from '@proctorpass/shared/schemas/settings'
import type { Team, TeamAdmin } from '@proctorpass/shared/schemas/team'
import { readStorage, writeStorage } from '../../lib/browser-storage.ts'
import { serverNow } from '../../lib/server-clock.ts'
import { callAsAdmin } from '../../lib/session.ts'

/** A message that an admin reads within this time causes no notification. */
const UNREAD_FOR_MS = 10_000
const LOOK_AGAIN_MS = 30_000
/** Messages arrive in bursts, which share one look. */
const LOOK_GAP_MS = 1_000
/** Only the conversations that wait longest are looked at. */
const LOOKED_AT_MAX = 50
const ANNOUNCED_KEY = 'announced'

interface DesktopOptions {
  userId: string
  /** Returns whether this admin looks at the conversation in a visible tab, as far as this tab knows. */
  isViewed: (clientId: string) => boolean
  announce: (conversation: ConversationSummary) => void
  /** Called when an announced conversation no longer waits, because an admin has read, answered, or resolved it. */
  withdraw: (clientId: string) => void
}

export type DesktopNotifications = ReturnType<typeof createDesktopNotifications>

/**
 * Decides in an open tab what the server decides for Web Push: after 10 seconds, an unread message notifies its
 * assignee, or every admin on duty if the assignee isn't. After `escalation.afterSeconds` it notifies the others.
 */
export function createDesktopNotifications(options: DesktopOptions) {
  const { userId, isViewed, announce, withdraw } = options
  const startedAt = serverNow()
  let timer: ReturnType<typeof setTimeout> | undefined
  /** When the timer looks next, and when it looked last, by the browser's clock. */
  let nextAt = Number.POSITIVE_INFINITY
  let lastAt = 0
  let looking = false
  let stopped = false

  function lookIn(ms: number): void {
    const at = Math.max(Date.now() + ms, lastAt + LOOK_GAP_MS)
    if (stopped || at >= nextAt) return
    clearTimeout(timer)
    nextAt = at
    timer = setTimeout(() => void look(), at - Date.now())
  }

  async function look(): Promise<void> {
    nextAt = Number.POSITIVE_INFINITY
    lastAt = Date.now()
    if (looking) return lookIn(LOOK_GAP_MS)
    looking = true
    await announceDue().catch(() => lookIn(LOOK_AGAIN_MS))
    looking = false
  }

  async function announceDue(): Promise<void> {
    const list = await callAsAdmin<ConversationList>(`${paths.chat}?unread=1&limit=${LOOKED_AT_MAX}`)
    const unread = Array.isArray(list) ? list : []
    const waiting = unread.filter(isWaiting)
    const announced = readAnnounced()
    const rings = waiting.length > 0 && (await callAsAdmin<Account>(accountPaths.account)).onDuty
    const dueTimeOf = rings ? await createDueTime(userId, waiting) : () => Number.POSITIVE_INFINITY
    let wait = LOOK_AGAIN_MS
    for (const conversation of waiting) {
      const { clientId, lastMessage } = conversation
      const dueAt = dueTimeOf(conversation)
      const now = serverNow()
      if (dueAt > now) wait = Math.min(wait, dueAt - now)
      else if (dueAt >= startedAt && announced[clientId] !== lastMessage.createdAt && !isViewed(clientId)) {
        announced[clientId] = lastMessage.createdAt
        if (!stopped) announce(conversation)
      }
    }
    // If the list is full, a conversation that it lacks may still wait.
    if (unread.length < LOOKED_AT_MAX) {
      for (const clientId of Object.keys(announced)) {
        if (waiting.some((conversation) => conversation.clientId === clientId)) continue
        delete announced[clientId]
        withdraw(clientId)
      }
    }
    writeAnnounced(announced)
    if (waiting.length > 0) lookIn(wait)
  }

  return {
    /** Call it when a message may be unread. */
    look: (): void => lookIn(0),
    stop(): void {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** Asks for the team and the settings only if another admin has taken one of the conversations. */
async function createDueTime(
  userId: string,
  waiting: readonly ConversationSummary[],
): Promise<(conversation: ConversationSummary) => number> {
  if (waiting.every(({ assigneeId }) => assigneeId === null || assigneeId === userId)) {
    return (conversation) => dueTime(conversation, { userId, admins: [], afterMs: 0 })
  }
  const [{ admins }, { escalation }] = await Promise.all([
    callAsAdmin<Team>(adminPaths.team),
    callAsAdmin<Settings>(adminPaths.settings),
  ])
  return (conversation) => dueTime(conversation, { userId, admins, afterMs: escalation.afterSeconds * 1_000 })
}

/** Returns whether the visitor wrote last and no admin has read it. */
function isWaiting({ clientId, status, lastMessage, adminUnread }: ConversationSummary): boolean {
  return adminUnread > 0 && status !== 'resolved' && lastMessage.senderId === clientId
}

/** Returns when a waiting conversation notifies this admin. */
export function dueTime(
  { assigneeId, lastMessage, waitingSince }: ConversationSummary,
  { userId, admins, afterMs }: { userId: string; admins: readonly TeamAdmin[]; afterMs: number },
): number {
  const assignee = admins.find((admin) => admin.userId === assigneeId)
  const isAnothers = assignee?.onDuty === true && !assignee.disabled && assigneeId !== userId
  const due = Date.parse(lastMessage.createdAt) + UNREAD_FOR_MS
  return isAnothers ? Math.max(due, Date.parse(waitingSince ?? lastMessage.createdAt) + afterMs) : due
}

/** Returns, by clientId, the time of the message that a tab of this browser announced last. */
function readAnnounced(): Record<string, string> {
  try {
    return Object(JSON.parse(readStorage(ANNOUNCED_KEY) ?? '{}'))
  } catch {
    return {}
  }
}

function writeAnnounced(announced: Record<string, string>): void {
  writeStorage(ANNOUNCED_KEY, Object.keys(announced).length === 0 ? null : JSON.stringify(announced))
}
