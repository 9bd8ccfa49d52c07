/** The size of every card that `web/build/cards-and-icons.ts` makes. */
export const CARD_WIDTH = 1200
export const CARD_HEIGHT = 630

const DEFAULT_CARD = 'home'

export interface Card {
  url: string
  /** Whether the size is known. It is true for cards that the build has made, and false for a post's own image. */
  sized: boolean
  /** Whether the card shows the page's own image. */
  own: boolean
}

/** Returns a link preview's image. Networks show no SVG, so a card replaces a drawing. */
export function cardOf(image: string | undefined, publicUrl: string): Card {
  const drawing = image?.match(/^(?:\/images\/posts\/)?([a-z-]+)(?:\.svg)?$/)?.[1]
  const foreign = image !== undefined && drawing === undefined ? URL.parse(image, `${publicUrl}/`) : null
  if (foreign && /^https?:$/.test(foreign.protocol) && !/\.svg$/i.test(foreign.pathname)) {
    return { url: foreign.href, sized: false, own: true }
  }
  return { url: `${publicUrl}/cards/${drawing ?? DEFAULT_CARD}.png`, sized: true, own: drawing !== undefined }
}
