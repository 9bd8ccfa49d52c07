import type { FormState } from '@proctorpass/shared/ssr'
import { createContext, useContext } from 'react'
import { useLocation } from 'react-router'

export const SentFormContext = createContext<FormState | null>(null)

/** Returns the result of the form that this document answers. Null after a navigation. */
export function useSentForm(): FormState | null {
  const sent = useContext(SentFormContext)
  // The router gives the document's own location this key.
  return useLocation().key === 'default' ? sent : null
}
