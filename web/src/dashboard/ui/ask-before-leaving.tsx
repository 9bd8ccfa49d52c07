import { type RefObject, useEffect, useRef } from 'react'
import { useBlocker } from 'react-router'
import { useAuth } from '../../lib/auth-store.ts'
import { ConfirmDialog } from './dialog.tsx'

/** Returns the ref for `AskBeforeLeaving`. Set it to false after a save, to navigate before the next render. */
export function useUnsaved(isDirty: boolean): RefObject<boolean> {
  const unsaved = useRef(false)
  useEffect(() => {
    unsaved.current = isDirty
  }, [isDirty])
  return unsaved
}

/** Asks before a link or closing the tab discards unsaved work. */
export function AskBeforeLeaving({ unsaved }: { unsaved: RefObject<boolean> }) {
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) =>
      unsaved.current &&
      nextLocation.pathname !== currentLocation.pathname &&
      // The guard's redirect to the sign-in does not ask, because the draft is restored afterwards.
      useAuth.getState().accessToken !== null,
  )
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (unsaved.current) event.preventDefault()
    }
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [unsaved])
  // A file dropped outside the editor would replace the page.
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
      question="Your changes aren't saved yet. This browser keeps them as a draft."
      confirmLabel="Leave"
      cancelLabel="Stay"
      asksAboutLeaving
      onConfirm={() => blocker.proceed()}
      onCancel={() => blocker.reset()}
    />
  )
}
