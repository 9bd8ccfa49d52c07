import { EMBED_PATH } from './paths.ts'
import type { ShownText } from './schemas/config.ts'
import type { Site, SiteLook } from './schemas/site.ts'

export const embedPaths = {
  loader: (site: string) => `${EMBED_PATH}/${site}.js`,
  frame: (site: string) => `${EMBED_PATH}/${site}`,
  remember: (site: string) => `${EMBED_PATH}/${site}/remember`,
  restore: (site: string) => `${EMBED_PATH}/${site}/restore`,
  identify: (site: string) => `${EMBED_PATH}/${site}/identify`,
  test: (site: string) => `${EMBED_PATH}/${site}/test`,
} as const

/** The placeholder in the built loader where the server writes its `LoaderSite`. */
export const LOADER_SITE = 'EMBED_SITE'

/** The data in a site's loader. */
export interface LoaderSite {
  id: string
  /** This server's origin. */
  origin: string
  look: Omit<SiteLook, 'label'> & {
    /** The labels by tag in lower case, also by `pt` if there is only `pt-BR`. Empty ones are missing, except English. */
    label: ShownText
  }
  /** The color of the launcher's icon and label. */
  iconColor: string
}

/** The data in the frame's page. */
export interface FrameSite extends Pick<Site, 'displayName'> {
  greeting: ShownText
  /** The frame communicates only with pages from these origins. */
  origins: readonly string[]
  /** The values of the frame's custom properties for the site's color. */
  colors: Readonly<Record<string, string>>
}
