import { useSyncExternalStore } from 'react'

/** Says why this browser can't show notifications. Null if it can. */
export function missingSupport(): string | null {
  if (!window.isSecureContext) return 'Notifications need a secure connection. Open this page with HTTPS.'
  if ('serviceWorker' in navigator && 'Notification' in window) return null
  return isAppleTouch()
    ? 'On an iPhone or iPad, add the dashboard to the Home Screen first: tap Share, then Add to Home Screen. Open it from there and come back to this page.'
    : "This browser doesn't support notifications."
}

/** Some browsers have notifications without push. */
export const canPush = (): boolean => 'PushManager' in window

/** iPads call themselves Macs, but Macs have no touch screen. */
function isAppleTouch(): boolean {
  const { userAgent, maxTouchPoints } = navigator
  return /iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1)
}

/** Returns the browser's permission, which people also change in the browser's settings. */
export function usePermission(): NotificationPermission {
  return useSyncExternalStore(subscribe, () => Notification.permission)
}

function subscribe(listener: () => void): () => void {
  let status: PermissionStatus | undefined
  let ended = false
  navigator.permissions?.query({ name: 'notifications' }).then(
    (found) => {
      status = found
      if (!ended) found.addEventListener('change', listener)
      listener()
    },
    // The next change of the page reads the state again.
    () => {},
  )
  return () => {
    ended = true
    status?.removeEventListener('change', listener)
  }
}
