import type { PublicConfig } from '@proctorpass/shared/schemas/config'
import { createContext, useContext } from 'react'

export const SiteConfigContext = createContext<PublicConfig | null>(null)

/** The public configuration, on the server and in the browser. */
export function useSiteConfig(): PublicConfig {
  const config = useContext(SiteConfigContext)
  if (!config) throw new Error('useSiteConfig needs a SiteConfigContext above it.')
  return config
}
