import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { Hours } from '@proctorpass/shared/schemas/settings'
import { createContext, useContext } from 'react'

export const SiteConfigContext = createContext<PublicConfig | null>(null)

/** Returns the public configuration, on the server and in the browser. */
export function useSiteConfig(): PublicConfig {
  const config = useContext(SiteConfigContext)
  if (!config) throw new Error('useSiteConfig needs a SiteConfigContext above it.')
  return config
}

/** The chat's opening hours when the page was served. */
export interface ShownHours {
  /** The server's words for them. */
  lines: string[]
  /** Null means always open. */
  hours: Hours | null
}

/** Undefined while the hours are unknown. */
export const ChatHoursContext = createContext<ShownHours | undefined>(undefined)
