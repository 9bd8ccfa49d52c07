/** Returns black or white, whichever has more contrast with a background such as #0a6e39. */
export function iconColor(background: string): string {
  return contrast(background, WHITE) >= contrast(background, BLACK) ? WHITE : BLACK
}

/** The contrast of a color with its ground that leaves 4.5:1 on a tint of the ground. */
const READABLE = 5.6
const STEPS = 20

/** Returns the color for text on the ground, mixed with as little black or white as the contrast needs. */
export function textColor(color: string, ground: string): string {
  const other = iconColor(ground)
  for (let step = 0; step < STEPS; step++) {
    const mixed = mix(color, other, step / STEPS)
    if (contrast(mixed, ground) >= READABLE) return mixed
  }
  return other
}

/** Returns the color with a share of the other color. */
export function mix(color: string, other: string, share: number): string {
  const parts = [1, 3, 5].map((at) => {
    const [from = 0, to = 0] = [color, other].map((each) => Number.parseInt(each.slice(at, at + 2), 16))
    return Math.round(from + (to - from) * share)
      .toString(16)
      .padStart(2, '0')
  })
  return `#${parts.join('')}`
}

const WHITE = '#ffffff'
const BLACK = '#000000'

/** Returns the contrast ratio, from 1 to 21, as WCAG defines it. */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)]
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
