import { EMBED_PATH } from '@proctorpass/shared/paths'

/** The id of the site in whose frame this page runs; null on our own pages. From the address: needed before all else. */
export const embeddedSite: string | null =
  import.meta.env.MAY_BE_FRAME === false ||
  typeof location === 'undefined' ||
  !location.pathname.startsWith(`${EMBED_PATH}/`)
    ? null
    : location.pathname.slice(EMBED_PATH.length + 1)

/**
 * Before each name that a frame keeps in storage: two sites of one domain share its storage, and with it that of our own
 * pages.
 */
export const SCOPE = embeddedSite === null ? '' : `site:${embeddedSite}:`
