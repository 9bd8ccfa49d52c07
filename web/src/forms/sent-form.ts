import type { FormState } from '@proctorpass/shared/ssr'
import { createContext, useContext } from 'react'
import { useLocation } from 'react-router'

export const SentFormContext = createContext<FormState | null>(null)

/** The result of the form that this document answers; null after a navigation. */
export function useSentForm(): FormState | null {
  const sent = useContext(SentFormContext)
  // The router's key for the location of the document itself.
  return useLocation().key === 'default' ? sent : null
}
