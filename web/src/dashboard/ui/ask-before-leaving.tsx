import { useEffect } from 'react'
import { useBlocker } from 'react-router-dom'
import { useAuth } from '../../lib/auth-store.ts'
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
  // A file that is dropped beside the editor would be opened in place of the page.
  useEffect(() => {
    const refuse = (event: DragEvent) => {
      const isFile = event.dataTransfer?.types.includes('Files')
      if (isFile && !(event.target instanceof HTMLInputElement)) event.preventDefault()
    }
    const events = ['dragover', 'drop'] as const
    for (const name of events) window.addEventListener(name, refuse)
    return () => {
      for (const name of events) window.removeEventListener(name, refuse)
    }
  }, [])
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
