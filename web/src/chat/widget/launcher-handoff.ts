// What the button and the panel agree on. Apart, so that the button does not load the panel to know it.

/** Set in localStorage once there is a conversation: from then on it is followed also while the panel is closed. */
export const EXISTS_KEY = 'chat:exists'

/** Under 640 px the panel is a sheet over the whole page. */
export const SMALL_SCREEN = '(max-width: 39.99em)'

export function isSmallScreen(): boolean {
  return matchMedia(SMALL_SCREEN).matches
}
