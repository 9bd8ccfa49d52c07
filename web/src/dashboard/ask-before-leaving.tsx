import { useEffect } from 'react'
import { useBlocker } from 'react-router-dom'
import { useAuth } from '../lib/auth-store.ts'
import { ConfirmDialog } from './dialog.tsx'

/** Asks before unsaved work is left, by a link or by closing the tab. */
export function AskBeforeLeaving({ unsaved }: { unsaved: () => boolean }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      unsaved() &&
      nextLocation.pathname !== currentLocation.pathname &&
      // The guard leads to the sign-in: the draft waits until they are back.
      useAuth.getState().accessToken !== null,
  )
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (unsaved()) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [unsaved])
  if (blocker.state !== 'blocked') return null
  return (
    <ConfirmDialog
      title="Leave without saving?"
      question="What you wrote is not saved yet. This browser keeps it as a draft until you come back."
      confirmLabel="Leave"
      cancelLabel="Stay"
      onConfirm={() => blocker.proceed()}
      onCancel={() => blocker.reset()}
    />
  )
}
