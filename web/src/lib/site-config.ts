import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import type { Hours } from '@proctorpass/shared/schemas/settings'
import { createContext, useContext } from 'react'

export const SiteConfigContext = createContext<PublicConfig | null>(null)

/** The public configuration, on the server and in the browser. */
export function useSiteConfig(): PublicConfig {
  const config = useContext(SiteConfigContext)
  if (!config) throw new Error('useSiteConfig needs a SiteConfigContext above it.')
  return config
}

/** The opening hours of the chat as the page was served. Null: always open. Undefined while they are unknown. */
export const ChatHoursContext = createContext<Hours | null | undefined>(undefined)
