import type { FormState } from '@proctorpass/shared/ssr'
import { createContext, useContext } from 'react'
import { useLocation } from 'react-router-dom'

export const SentFormContext = createContext<FormState | null>(null)

/** What came of the form that this document answers, sent before any script ran; null on every later page. */
export function useSentForm(): FormState | null {
  const sent = useContext(SentFormContext)
  // The router's name for the place where the document came in.
  return useLocation().key === 'default' ? sent : null
}
