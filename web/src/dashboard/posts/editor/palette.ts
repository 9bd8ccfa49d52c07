import { POST_COLORS } from '@proctorpass/shared/post-format'

/** The degree at which each hue begins, in descending order. */
const HUES: [from: number, name: (typeof POST_COLORS)[number]][] = [
  [335, 'red'],
  [255, 'violet'],
  [170, 'blue'],
  [75, 'green'],
  [45, 'yellow'],
  [18, 'orange'],
  [0, 'red'],
]

/**
 * Returns the nearest name in the palette, which has a shade for each theme. Null for nearly black or white, and for
 * texts that are not colors.
 */
export function paletteColor(value: string): string | null {
  if ((POST_COLORS as readonly string[]).includes(value)) return value
  const [red = 0, green = 0, blue = 0] = rgbOf(value) ?? []
  const most = Math.max(red, green, blue)
  const least = Math.min(red, green, blue)
  const range = most - least
  if (range < 40) return most < 70 || least > 225 ? null : 'grey'
  const sixth =
    most === red
      ? (green - blue) / range
      : most === green
        ? (blue - red) / range + 2
        : (red - green) / range + 4
  const hue = (sixth * 60 + 360) % 360
  return HUES.find(([from]) => hue >= from)?.[1] ?? null
}

/** Returns a CSS color's red, green, and blue. Null for other texts. */
function rgbOf(value: string): number[] | null {
  const canvas = document.createElement('canvas').getContext('2d')
  if (!canvas || !CSS.supports('color', value)) return null
  canvas.fillStyle = value
  const [hex = ''] = /^#[0-9a-f]{6}$/.exec(canvas.fillStyle) ?? []
  return hex === '' ? null : [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
}
