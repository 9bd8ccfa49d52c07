/** Size of every card; `web/build/pictures.ts` makes them. */
export const CARD_WIDTH = 1200
export const CARD_HEIGHT = 630

const DEFAULT_CARD = 'home'

export interface Card {
  url: string
  /** Of the cards made by the build; of a post's own picture nothing is known. */
  sized: boolean
}

/** The picture that a page is shared with: networks show no SVG, so a drawing goes as the card made from it. */
export function cardOf(image: string | undefined, publicUrl: string): Card {
  const drawing = image?.match(/^(?:\/images\/posts\/)?([a-z-]+)(?:\.svg)?$/)?.[1]
  const foreign = image !== undefined && drawing === undefined ? URL.parse(image, `${publicUrl}/`) : null
  if (foreign && /^https?:$/.test(foreign.protocol) && !/\.svg$/i.test(foreign.pathname)) {
    return { url: foreign.href, sized: false }
  }
  return { url: `${publicUrl}/cards/${drawing ?? DEFAULT_CARD}.png`, sized: true }
}
