import { EMBED_PATH } from '@proctorpass/shared/paths'

/**
 * The ID of the site in whose frame this page runs. Null on our own pages. It comes from the address, because it is
 * needed before everything else.
 */
export const embeddedSite: string | null =
  import.meta.env.MAY_BE_FRAME === false ||
  typeof location === 'undefined' ||
  !location.pathname.startsWith(`${EMBED_PATH}/`)
    ? null
    : location.pathname.slice(EMBED_PATH.length + 1)

/**
 * Precedes each name that a frame keeps in storage, because two sites on one domain share a storage with each other and
 * with our own pages.
 */
export const SCOPE = embeddedSite === null ? '' : `site:${embeddedSite}:`
