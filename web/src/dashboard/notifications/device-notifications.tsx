import { messageNotification } from '@proctorpass/shared/notification-text'
import type { ConversationSummary } from '@proctorpass/shared/schemas/chat'
import { useEffect, useEffectEvent, useRef } from 'react'
import { useNavigate } from 'react-router'
import type { AdminChat } from '../../chat/engine/admin-chat.ts'
import { toast } from '../../components/toast.ts'
import { useNotificationChoices } from '../../lib/notification-choices.ts'
import { ownPath } from '../../metadata/canonical-path.ts'
import { createDesktopNotifications, type DesktopNotifications } from './desktop.ts'
import { renewSubscription } from './subscription.ts'
import { missingSupport } from './support.ts'
import { closeNotifications, onWorkerMessage, showNotification } from './worker.ts'

interface DeviceNotificationsProps {
  userId: string
  chat: AdminChat
  /** The number of unread messages. Every change makes the tab look for messages to announce. */
  unread: number
}

/**
 * Notifies this browser's admin while a tab is open: keeps the subscription, follows clicks, and notifies without push.
 */
export function DeviceNotifications(props: DeviceNotificationsProps) {
  return missingSupport() === null ? <Supported {...props} /> : null
}

function Supported({ userId, chat, unread }: DeviceNotificationsProps) {
  const { push, desktop } = useNotificationChoices()
  useWorkerMessages(userId)
  useEffect(() => {
    if (push === null) return
    renewSubscription(userId).then(
      (isOn) => {
        if (!isOn && push === userId) {
          toast.info('Push notifications ended on this device. Turn them on under Account.')
        }
      },
      // The next visit tries again.
      () => {},
    )
  }, [userId, push])

  const isOn = push === null && desktop === userId && Notification.permission === 'granted'
  const desktopNotifications = useDesktopNotifications(isOn, userId, chat)
  useEffect(() => desktopNotifications.current?.look(), [unread])
  return null
}

/** Follows a clicked notification, and a subscription that the browser has renewed. */
function useWorkerMessages(userId: string): void {
  const navigate = useNavigate()
  const go = useEffectEvent((path: string) => navigate(path))
  useEffect(
    () =>
      onWorkerMessage((message, port) => {
        if (message.kind === 'where') port?.postMessage(location.pathname)
        if (message.kind === 'open') void go(ownPath(message.path) ?? '/dashboard/chats')
        if (message.kind === 'subscription-changed') renewSubscription(userId).catch(() => {})
      }),
    [userId],
  )
}

/** Lets one of the browser's tabs notify: the tab that holds the lock. */
function useDesktopNotifications(isOn: boolean, userId: string, chat: AdminChat) {
  const current = useRef<DesktopNotifications | null>(null)
  useEffect(() => {
    if (!isOn) return
    /** The conversations that this admin looks at in any tab on any device. The server reports them only by push. */
    const viewed = new Set<string>()
    const isViewed = (clientId: string) =>
      viewed.has(clientId) || (!document.hidden && location.pathname === pathOf(clientId))
    const stop = new AbortController()
    const stopped = new Promise((resolve) => stop.signal.addEventListener('abort', resolve))
    const unsubscribers = [
      chat.onViewing(({ clientId, userIds }) => {
        if (userIds.includes(userId)) viewed.add(clientId)
        else viewed.delete(clientId)
      }),
      chat.onMessage(() => current.current?.look()),
      chat.onResync(() => {
        // The server tells a new socket again what is viewed.
        viewed.clear()
        current.current?.look()
      }),
    ]
    const run = async () => {
      current.current = createDesktopNotifications({
        userId,
        isViewed,
        announce,
        withdraw: closeNotifications,
      })
      current.current.look()
      await stopped
      current.current.stop()
      current.current = null
    }
    if (navigator.locks) {
      navigator.locks.request('desktop-notifications', { signal: stop.signal }, run).catch(() => {})
    } else void run()
    return () => {
      stop.abort()
      for (const unsubscribe of unsubscribers) unsubscribe()
    }
  }, [isOn, userId, chat])
  return current
}

const pathOf = (clientId: string) => `/dashboard/messages/${clientId}`

function announce({ lastMessage, visitor }: ConversationSummary): void {
  const { previews } = useNotificationChoices.getState()
  void showNotification(messageNotification(lastMessage, visitor.name, previews))
}
